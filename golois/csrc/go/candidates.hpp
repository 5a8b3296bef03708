// Which moves a player considers: all that are legal, or those of the arena
// (docs/teacher/rules.md), where networks have no pass and players don't fill their own eyes.
#pragma once

#include "go/position.hpp"

namespace golois {

// Whether a legal move adds to a chain, captures nothing and leaves that chain a single liberty.
bool gives_chain_away(const Board &board, int point, Colour colour);

// Whether the point is a one-point eye of the colour that the opponent cannot make false: own
// stones on all sides, and on the diagonals at most one enemy stone, none at the edge of the board.
bool is_true_eye(const Board &board, int point, Colour colour);

// The legal moves of the side to move on the board; a pass is legal too.
PointSet legal_points(const Position &position);

// The moves that the side to move considers in the arena, the pass among them as point n·n; never
// empty. A pass is the only candidate when the opponent has passed and the area score wins. It is a
// candidate when each move is on a settled point or gives a chain away; then moves on settled
// points are none. So it is the only one when every empty point is settled, or when nothing else is
// left.
PointSet candidate_moves(const Position &position, double komi);

}  // namespace golois
