#include "candidates.hpp"

#include "score.hpp"

namespace golois {

namespace {

bool passing_wins(const Position &position, double komi) {
  if (position.num_consecutive_passes() == 0) return false;
  const double lead_black = score_black(position.board()) - komi;
  return position.to_play() == kBlack ? lead_black > 0 : lead_black < 0;
}

// Where the side to move takes stones: the liberties of the enemy's chains in atari.
PointSet capturing_points(const Position &position) {
  const Board &board = position.board();
  const Colour enemy = opponent(position.to_play());
  PointSet points;
  board.stones(enemy).for_each([&](int p) {
    if (board.chain_at(p) == p && board.liberties(p).size() == 1) points |= board.liberties(p);
  });
  return points;
}

bool has_empty_neighbour(const Board &board, int point) {
  for (int q : board.neighbours(point))
    if (board.at(q) == kEmpty) return true;
  return false;
}

// Most points take no stones and have an empty neighbour: they can only break superko, and are no eyes.
bool is_candidate(const Position &position, int point, bool captures) {
  const Board &board = position.board();
  const Colour colour = position.to_play();
  if (board.at(point) != kEmpty) return false;
  if (!captures && has_empty_neighbour(board, point))
    return !position.has_occurred(board.key() ^ kZobrist[point][colour]);
  return position.legality(point, colour) == Legality::kLegal && !is_true_eye(board, point, colour);
}

}  // namespace

bool is_true_eye(const Board &board, int point, Colour colour) {
  for (int q : board.neighbours(point))
    if (board.at(q) != colour && q != kOffBoard) return false;

  const int size = board.size(), row = point / size, column = point % size;
  int num_enemies = 0;
  bool at_edge = false;
  for (int r : {row - 1, row + 1})
    for (int c : {column - 1, column + 1}) {
      if (r < 0 || r >= size || c < 0 || c >= size)
        at_edge = true;
      else
        num_enemies += board.at(r * size + c) == opponent(colour);
    }
  return num_enemies <= (at_edge ? 0 : 1);
}

std::vector<Point> candidate_moves(const Position &position, double komi) {
  std::vector<Point> moves;
  if (!passing_wins(position, komi)) {
    moves.reserve(kMaxPoints);
    const PointSet captures = capturing_points(position);
    for (int p = 0; p < position.pass(); ++p)
      if (is_candidate(position, p, captures.contains(p))) moves.push_back(static_cast<Point>(p));
  }
  if (moves.empty()) moves.push_back(static_cast<Point>(position.pass()));
  return moves;
}

}  // namespace golois
