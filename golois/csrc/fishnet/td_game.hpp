// One game of FishNet against itself, and what TD(λ) learns of it.
#pragma once

#include <cstdint>
#include <vector>

#include "fishnet/game.hpp"

namespace golois {

struct TdOptions {
  FishNetOptions player;
  double beta;      // a move is drawn in proportion to e^(beta·value)
  double lambda;    // of the returns, which are computed when the game is over
  // a position's return goes through the position after the opponent's answer, not after the
  // player's own next move
  bool every_move;
  int max_moves;    // the game is over after so many, passes included
};

struct TdGame {
  std::vector<int16_t> moves;
  bool is_cut;          // max_moves were reached
  double score_black;   // by the scoring that was played
  double loss;          // cross-entropy of the outputs that were taught, in nats
  int64_t num_outputs;  // that were taught
};

// Plays a game, and adds how its loss changes with the kernels; the targets are constants to it.
TdGame play_td_game(const Isn &network, const TdOptions &options, uint64_t seed,
                    IsnKernels<double> &gradient);

}  // namespace golois
