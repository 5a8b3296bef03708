// Who wins with best play, found by search through all positions: for small boards of games without
// draws and repetitions.
#pragma once

#include <cstdint>

#include "games/game.hpp"

namespace golois {

// The candidates that win by force for the side to move; none once the game is over. No position of
// the game may repeat. Throws Error where it takes more than max_positions positions, counted up to
// symmetry.
PointSet winning_moves(const Game &game, int64_t max_positions);

}  // namespace golois
