// The course's 31 planes (docs/maintainer/formats.md has the table), of any board size.
#pragma once

#include "go/board.hpp"
#include "go/ladder_memory.hpp"
#include "planes/history_planes.hpp"
#include "planes/plane_words.hpp"

namespace golois {

constexpr int kNumPlanes = 31;
constexpr int kNumKomiPlanes = 10;
constexpr int kNumStates = 5;  // the present and four before it
constexpr PlanesShape kPlanes19{kMaxSize, kNumPlanes};

enum Plane : int {
  kBlackToPlayPlane = 0,
  kLostPlane = 1,           // chains with one liberty that are lost even if their owner moves first
  kNextToLostPlane = 2,     // the enemy chains beside them
  // chains with two liberties that a ladder catches if the attacker moves first
  kCatchablePlane = 3,
  kNextToCatchablePlane = 4,
  kLibertiesPlane = 5,      // 1, 2, 3, 4, 5, 6 or more
  kStonesPlane = 11,        // own, opponent's; then the same 1 … 4 moves ago
  kKomiPlane = 21,          // one-hot of the whole part of komi, 0 … 9
};

// What the planes are computed from.
struct PlanesInput {
  // the present stones; unchanged afterwards except that the ko point is cleared
  Board &board;
  Past<kNumStates> past;
  Colour to_play;
  double komi;
};

PlaneWords plane_words(const PlanesInput &input);

// The same with ladders from a memory, which must be of this position.
PlaneWords plane_words(const PlanesInput &input, LadderMemory &ladders);

// The same where a ladder is known to catch the chains of some stones and no other.
PlaneWords plane_words(const PlanesInput &input, const PointSet &marked_stones);

}  // namespace golois
