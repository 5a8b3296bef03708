// Zobrist keys: one random word a coloured point; a position's key is the XOR over its stones.
#pragma once

#include <array>
#include <cstdint>

#include "go/point.hpp"
#include "kit/rng.hpp"

namespace golois {

using ZobristTable = std::array<std::array<uint64_t, 3>, kMaxPoints>;

constexpr ZobristTable make_zobrist_table() {
  ZobristTable table{};
  Rng rng(0x60105ULL);
  for (int p = 0; p < kMaxPoints; ++p)
    for (int colour = kBlack; colour <= kWhite; ++colour) table[p][colour] = rng.next();
  return table;
}

inline constexpr ZobristTable kZobrist = make_zobrist_table();

}  // namespace golois
