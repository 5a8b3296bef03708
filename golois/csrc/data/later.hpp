// What the moves after a position came to, by the values and leads that a file has of them.
#pragma once

#include <array>
#include <cstdint>

#include "records/record.hpp"

namespace golois {

// About how many plies each average of later values looks ahead.
constexpr std::array<double, 3> kHorizons{6, 16, 50};

// P(White wins) before a move, of a target or else of the move; NaN where the file has none.
float known_value(const PackedGame &game, int index, const PackedTarget &target);

// For the side to move; NaN where the file lacks what it is computed from.
struct Later {
  std::array<float, kHorizons.size()> values;  // averages of P(the side to move wins)
  // by how much the averages of the first horizon exceed the position's own value, and its lead
  std::array<float, 2> surprise;
};

// Averages over the positions after the move `index`, the file's training position `position`: the
// k-th ply after it, from 0, weighs (1 − 1/horizon)^k. Plies without a number are left out. Throws
// DamagedFile where a target lies outside of the file.
Later later(const PackedFile &file, const PackedGame &game, int index, uint64_t position,
            Colour to_play);

}  // namespace golois
