// What may be played in NoGo, and who has what of the board.
#pragma once

#include "go/score.hpp"

namespace golois {

// The points where a colour may play: it takes no stone, and its own chain keeps a liberty.
PointSet nogo_moves(const Board &board, Colour colour);

// A colour's stones, and the empty points where it alone may play.
//
// Source: the dominion of Gao and Wu, NoGoZero+, 2021.
Area dominion(const Board &board);

}  // namespace golois
