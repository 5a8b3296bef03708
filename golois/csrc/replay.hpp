// Shows a recorded game at any move without the rules: the record lists what each move captured.
#pragma once

#include <array>

#include "position.hpp"
#include "record.hpp"

namespace golois {

struct Moment {
  std::array<Stones, Position::kHistory> recent;  // [0] the stones then, [t] t moves before; empty where there was none
  Colour to_play;                                  // the opponent of the last mover; Black before the first move
};

// The game after its first num_moves moves.
Moment replay(const PackedGame &game, int num_moves);

}  // namespace golois
