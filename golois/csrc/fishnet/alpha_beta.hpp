// Alpha-beta search over FishNet's evaluations; Blair 2009, sections VI and VII.
//
// Each position of the tree is seen as by its player with the likelihoods of the root, adjusted
// beside all stones since. The last ply is evaluated at once: the positions that a move leads to,
// as in play without a search.
#pragma once

#include <cstdint>
#include <vector>

#include "fishnet/game.hpp"

namespace golois {

struct AlphaBetaOptions {
  int depth;                // plies; 1 is play without a search
  // SelNet, or null: then all moves are searched, the best of them by their evaluations first
  const Isn *selection;
  // with SelNet: how many moves and the pass a position of each ply has; further plies as the last
  std::vector<int> widths;
};

struct AlphaBetaResult {
  int move;
  float value;              // to the side to move
  int64_t num_evaluations;  // positions that moves were played to
};

// The best move of the side to move.
AlphaBetaResult alpha_beta(const FishNet &game, const AlphaBetaOptions &options);

// What SelNet says of the side to move's moves, before one is made: n·n+1 numbers, 0 for the pass;
// NaN for illegal ones.
std::vector<float> selection_of(const FishNet &game, const Isn &selection);

}  // namespace golois
