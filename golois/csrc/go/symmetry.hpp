// The eight symmetries of the square board, numbered as the course's loader does.
#pragma once

#include <array>

#include "go/point.hpp"

namespace golois {

constexpr int kNumSymmetries = 8;
constexpr int kHalfTurn = 3;

// Where symmetry s moves point p of a board, at [s][p]; a pass, n·n, stays.
using SymmetryTable = std::array<std::array<Point, kMaxPoints + 1>, kNumSymmetries>;

// The table of a board size, kMinSize … kMaxSize; built once, shared, immutable.
const SymmetryTable &symmetries(int size);

// The symmetry that takes `symmetry` back: only the two quarter turns are not their own.
constexpr int inverse_symmetry(int symmetry) {
  return symmetry == 5 ? 6 : symmetry == 6 ? 5 : symmetry;
}

}  // namespace golois
