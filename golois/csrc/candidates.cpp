#include "candidates.hpp"

#include "score.hpp"

namespace golois {

namespace {

bool passing_wins(const Position &position, double komi) {
  if (position.num_consecutive_passes() == 0) return false;
  const double lead_black = score_black(position.board()) - komi;
  return position.to_play() == kBlack ? lead_black > 0 : lead_black < 0;
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
    for (int p = 0; p < position.pass(); ++p)
      if (position.legality(p, position.to_play()) == Legality::kLegal &&
          !is_true_eye(position.board(), p, position.to_play()))
        moves.push_back(static_cast<Point>(p));
  }
  if (moves.empty()) moves.push_back(static_cast<Point>(position.pass()));
  return moves;
}

}  // namespace golois
