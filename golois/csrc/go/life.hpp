// Unconditional life: what a colour keeps even if it never answers.
//
// Source: D. B. Benson, "Life in the game of Go", 1976. A region is a connected set of points
// without own stones; it is vital to a chain if each of its empty points is a liberty of that chain
// (suicide is illegal, so the enemy stones in it don't matter). Chains that have two vital regions
// each, bordered by such chains alone, can't be taken. The territory that goes with them is
// KataGo's (cpp/game/board.cpp, calculateArea).
#pragma once

#include "go/board.hpp"

namespace golois {

// What makes a region vital to a chain: that the chain touches its empty points; or all of its
// points, as where suicide is legal.
enum class Vital { kEmptyPoints, kAllPoints };

// The points that stay with a colour: the stones of its chains that live unconditionally, and the
// regions that such chains alone border and in which at most one point touches no stone of the
// colour. Two eyes need two such points, so enemy stones in there are dead.
PointSet settled_points(const Board &board, Colour colour, Vital vital = Vital::kEmptyPoints);

// Those of some empty points that are settled for neither colour.
PointSet unsettled_points(const Board &board, const PointSet &points);

// Empty points where both colours have room for eyes, so that none of them is settled. Until late
// in a game there are some, and finding them is quick (0.2 µs).
PointSet open_points(const Board &board);

}  // namespace golois
