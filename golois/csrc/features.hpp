// The 31 planes that the networks see (docs/formats.md has the table): computed as one word of bits per point, written in the
// requested layout.
#pragma once

#include <array>
#include <cstdint>

#include "board.hpp"
#include "ladder_memory.hpp"
#include "position.hpp"
#include "symmetry.hpp"

namespace golois {

constexpr int kNumPlanes = 31;
constexpr int kNumKomiPlanes = 10;
constexpr int kPlanesSize = kMaxPoints * kNumPlanes;
constexpr int kPackedPlanesSize = (kPlanesSize + 7) / 8;

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
  Board &board;             // the present stones; unchanged afterwards except that the ko point is cleared
  std::array<Stones, Position::kHistory> recent;  // [0] the present, [t] t moves ago; empty where there was none
  Colour to_play;
  double komi;
};

// The planes of every point, plane 0 in the highest bit; the lowest bit is unused.
using PlaneWords = std::array<uint32_t, kMaxPoints>;

PlaneWords plane_words(const PlanesInput &input);

// The same with ladders from a memory, which must be of this position.
PlaneWords plane_words(const PlanesInput &input, LadderMemory &ladders);

// Each writes the planes as symmetry 0 … 7 shows the board, in the order [row][column][plane].
void write_planes(const PlaneWords &words, int symmetry, float *planes);          // kPlanesSize of 0 and 1
void write_planes(const PlaneWords &words, int symmetry, uint8_t *planes);        // kPlanesSize of 0 and 1
void write_packed_planes(const PlaneWords &words, int symmetry, uint8_t *bytes);  // kPackedPlanesSize, highest bit first

}  // namespace golois
