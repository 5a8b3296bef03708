#include "candidates.hpp"

#include "life.hpp"
#include "score.hpp"

namespace golois {

namespace {

bool passing_wins(const Position &position, double komi) {
  if (position.num_consecutive_passes() == 0) return false;
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
  (points & position.taken()).for_each([&](int p) { points.erase_if(position.would_repeat(p, colour), p); });
  return points;
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

PointSet legal_points(const Position &position) {
  return points_to_play(position, [](int) { return false; });
}

PointSet candidate_moves(const Position &position, double komi) {
  const Board &board = position.board();
  PointSet moves;
  if (!passing_wins(position, komi))
    moves = points_to_play(position, [&](int p) { return is_true_eye(board, p, position.to_play()); });
  if (!are_settled(board, moves)) return moves;
  PointSet pass;
  pass.insert(position.pass());
  return pass;
}

}  // namespace golois
