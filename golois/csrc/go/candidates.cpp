#include "go/candidates.hpp"

#include "go/life.hpp"
#include "go/score.hpp"

namespace golois {

namespace {

bool passing_wins(const Position &position, double komi) {
  if (!position.opponent_has_passed()) return false;
  const double lead_black = score_black(position.board()) - komi;
  return position.to_play() == kBlack ? lead_black > 0 : lead_black < 0;
}

// The legal points but those that are occupied on all sides and `is_left_out`.
template <typename IsLeftOut>
PointSet points_to_play(const Position &position, IsLeftOut is_left_out) {
  const Board &board = position.board();
  const Colour colour = position.to_play();
  // A point with an empty neighbour is no eye, and a move there breaks no rule but superko.
  const PointSet empty = board.empty_points();
  PointSet points = empty & geometry(board.size()).beside(empty);
  (empty - points).for_each([&](int p) {
    points.insert_if(board.legality(p, colour) == Legality::kLegal && !is_left_out(p), p);
  });
  (points & position.taken()).for_each([&](int p) {
    points.erase_if(position.would_repeat(p, colour), p);
  });
  return points;
}

// Whether one of some legal moves gives no chain away.
bool has_safe_move(const Board &board, PointSet moves, Colour colour) {
  for (; !moves.empty(); moves.erase(moves.first()))
    if (!gives_chain_away(board, moves.first(), colour)) return true;
  return false;
}

}  // namespace

bool gives_chain_away(const Board &board, int point, Colour colour) {
  PointSet liberties;
  bool joins = false;
  for (int q : board.neighbours(point)) {
    liberties.insert_if(board.at(q) == kEmpty, q);
    if (board.at(q) != colour) continue;
    liberties |= board.liberties(board.chain_at(q));
    joins = true;
  }
  liberties.erase(point);
  return joins && liberties.size() <= 1 && !board.contact_of(point, colour).captures;
}

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

PointSet legal_points(const Position &position) {
  return points_to_play(position, [](int) { return false; });
}

PointSet candidate_moves(const Position &position, double komi) {
  const Board &board = position.board();
  PointSet moves;
  if (!passing_wins(position, komi))
    moves =
        points_to_play(position, [&](int p) { return is_true_eye(board, p, position.to_play()); });
  if (has_safe_move(board, moves & open_points(board), position.to_play())) return moves;
  PointSet unsettled = unsettled_points(board, moves);
  if (has_safe_move(board, unsettled, position.to_play())) return moves;
  unsettled.insert(position.pass());
  return unsettled;
}

}  // namespace golois
