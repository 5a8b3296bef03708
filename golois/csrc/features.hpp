// The 31 planes that the networks see (docs/formats.md has the table), float32 NHWC.
#pragma once

#include <array>

#include "board.hpp"
#include "position.hpp"
#include "symmetry.hpp"

namespace golois {

constexpr int kNumPlanes = 31;
constexpr int kPlanesSize = kMaxPoints * kNumPlanes;

enum Plane : int {
  kBlackToPlayPlane = 0,
  kLostPlane = 1,           // chains with one liberty that are lost even if their owner moves first
  kNextToLostPlane = 2,     // the enemy chains beside them
  kCatchablePlane = 3,      // chains with two liberties that a ladder catches if the attacker moves first
  kNextToCatchablePlane = 4,
  kLibertiesPlane = 5,      // 1, 2, 3, 4, 5, 6 or more
  kStonesPlane = 11,        // own, opponent's; then the same 1 … 4 moves ago
  kKomiPlane = 21,          // one-hot of the whole part of komi, 0 … 9
};

// What the planes are computed from; the board must be 19×19.
struct PlanesInput {
  Board &board;             // the present stones; comes back unchanged but without its ko point
  std::array<Stones, Position::kHistory> recent;  // [0] the present, [t] t moves ago; empty where there was none
  Colour to_play;
  double komi;
};

// Writes kPlanesSize floats, all of them, as symmetry 0 … 7 shows the board.
void write_planes(const PlanesInput &input, int symmetry, float *planes);

}  // namespace golois
