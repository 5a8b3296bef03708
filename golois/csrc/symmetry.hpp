// The eight symmetries of the 19×19 board, numbered as the course's loader does.
#pragma once

#include <array>

#include "point.hpp"

namespace golois {

constexpr int kNumSymmetries = 8;

using SymmetryTable = std::array<std::array<Point, kMaxPoints>, kNumSymmetries>;

constexpr SymmetryTable make_symmetry_table() {
  SymmetryTable table{};
  constexpr int last = kMaxSize - 1;
  for (int s = 0; s < kNumSymmetries; ++s)
    for (int row = 0; row < kMaxSize; ++row)
      for (int column = 0; column < kMaxSize; ++column) {
        const int r = s & 4 ? column : row, c = s & 4 ? row : column;
        const int to_row = s & 1 ? last - r : r, to_column = s & 2 ? last - c : c;
        table[s][row * kMaxSize + column] = static_cast<Point>(to_row * kMaxSize + to_column);
      }
  return table;
}

// kSymmetry[s][p] is the point that symmetry s moves point p to.
inline constexpr SymmetryTable kSymmetry = make_symmetry_table();

// The symmetry that takes `symmetry` back: only the two quarter turns are not their own.
constexpr int inverse_symmetry(int symmetry) {
  return symmetry == 5 ? 6 : symmetry == 6 ? 5 : symmetry;
}

}  // namespace golois
