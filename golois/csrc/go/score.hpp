// Tromp–Taylor area scoring (https://tromp.github.io/go.html), after enemy stones on settled points
// are taken off.
#pragma once

#include "go/board.hpp"

namespace golois {

// A colour's stones, and the empty points that reach that colour alone; without the stones that are
// dead (life.hpp).
struct Area {
  PointSet black, white;
};
Area area(const Board &board);

// Black's area minus White's, without komi.
int score_black(const Board &board);

}  // namespace golois
