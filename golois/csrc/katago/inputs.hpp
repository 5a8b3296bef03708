// What KataGo's networks see of a position: their inputs of version 7, 22 planes and 19 numbers, on
// 19×19 points.
#pragma once

#include <array>
#include <cstdint>

#include "katago/game.hpp"
#include "planes/plane_words.hpp"

namespace golois {

constexpr int kNumKatagoPlanes = 22, kNumKatagoGlobals = 19;
constexpr PlanesShape kKatagoShape{kMaxSize, kNumKatagoPlanes};

struct KatagoInputs {
  std::array<PointSet, kNumKatagoPlanes> planes;
  std::array<float, kNumKatagoGlobals> globals;
  PointSet legal;  // moves; the pass, point 361, is always in it
};

struct KatagoOptions {
  // a flag of version 15 files: a chain must touch every point of a vital region, as where suicide
  // is legal
  bool pass_alive;
  bool hides_end;    // a pass that would end the game is shown as if it would not
};

KatagoInputs katago_inputs(const KatagoGame &game, const KatagoOptions &options);

// Writes the planes as KataGo keeps them: [plane][row][column] as bits, the highest first,
// kKatagoShape.num_bytes() of them.
void write_plane_bits(const KatagoInputs &inputs, uint8_t *bytes);

// The planes of every point, for write_planes(): [row][column][plane].
PlaneWords plane_words(const KatagoInputs &inputs);

// The same for a search, which knows planes only: six more have the numbers that change within a
// game, each all over the board. They are: White to move; the last move, … the fifth last was a
// pass.
constexpr int kNumKatagoSearchPlanes = kNumKatagoPlanes + 1 + KatagoGame::kShownMoves;
PlaneWords search_plane_words(const KatagoInputs &inputs, Colour to_play);

}  // namespace golois
