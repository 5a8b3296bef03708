// The ladders of a recorded game as differences from one position to the next, for packed files
// (data/README.md).
//
// A ladder catches a chain if and only if one of its stones is marked. A word flips a mark: bits
// 0–8 are the point, or kNoFlip, bits 9–15 how many moves lie between the position of the word
// before, or the empty board, and this one.
#pragma once

#include <cstdint>
#include <vector>

#include "go/ladder_memory.hpp"
#include "records/record.hpp"

namespace golois {

constexpr int kNoFlip = 511, kMaxMovesBetweenFlips = 127;

// Reads the ladders of all positions of a game of Go. Throws Error where a move is not legal.
std::vector<uint16_t> ladder_words(const PackedGame &game);

// The marked stones after a number of moves. Points of damaged words may be anything below
// kMaxPoints.
PointSet marked_stones(LadderWords words, int num_moves);

}  // namespace golois
