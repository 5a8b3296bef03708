// Search without a network: UCT, where random games take the place of evaluations.
#pragma once

#include <cstdint>

#include "games/game.hpp"

namespace golois {

// The most visited move after num_playouts (1 or more) of UCT, each of which ends in a random game.
// For games that end by themselves when moves are random, such as NoGo and Hex. Throws Error where
// the game is over.
// Source: Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006, with one new node a
// playout.
int rollout_move(const Game &game, int64_t num_playouts, uint64_t seed);

}  // namespace golois
