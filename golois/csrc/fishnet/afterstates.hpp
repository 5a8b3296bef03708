// What Blair's network says of each position that a colour can move to.
#pragma once

#include <array>
#include <vector>

#include "fishnet/cell_rewards.hpp"
#include "fishnet/chain_classes.hpp"
#include "fishnet/isn.hpp"
#include "go/position.hpp"

namespace golois {

struct FishNetOptions {
  // the scoring that moves are chosen for; the network has learned with this `captured`
  float captured, stone;
  float step;             // of the adjustments beside new stones
  ChainRules chains = {};
};

inline PointState state_of(Colour stone, Colour player) {
  return stone == kEmpty   ? PointState::kEmpty
         : stone == player ? PointState::kOwn
                           : PointState::kEnemy;
}

// The outputs for the sums of a point; NaN those that its state doesn't have.
std::array<float, kNumPointOutputs> outputs_of(PointState state, const IsnSums &sums);

class Afterstates {
 public:
  // The network must outlive it.
  Afterstates(const Isn &network, const FishNetOptions &options);

  const Isn &network() const { return network_; }
  const FishNetOptions &options() const { return options_; }

  // Changes an evaluation to that of a board, as a player sees it.
  void update(const Board &board, Colour player, const Likelihoods &seen, IsnState &state) {
    network_.update(inputs(board, player, seen), state, memory_);
  }

  // What the network is shown of a board, as a player sees it.
  IsnInputs inputs(const Board &board, Colour player, const Likelihoods &seen) {
    classes_shown_.find(board, player, seen);
    return inputs(board, player, classes_shown_);
  }

  // Moves the likelihoods beside a new stone; a pass moves nothing.
  void adjust(const Board &board, int move, bool is_own, Likelihoods &seen) const;

  // What the board is worth to a colour after each of its legal moves on these points, and after a
  // pass: n·n+1 numbers, the last for the pass; NaN for others.
  void write_values(Position &position, Colour player, const Likelihoods &seen,
                    const PointSet &points, std::vector<float> &values);

 private:
  // How the worth of a point follows from its outputs: `per_lane` times their tanh, and `whole`.
  struct Worth {
    Four per_lane{};
    float whole;
  };

  IsnInputs inputs(const Board &board, Colour player, const ChainClasses &classes) const;
  float worth_of(PointState state, Four sums) const;
  PaddedSet show_after(const Board &board, int move, const PointSet &within_reach, Colour player);
  float value_after(Board &board, int move, Colour player, double value_here,
                    const std::vector<float> &worth_here);

  const Isn &network_;
  FishNetOptions options_;
  IsnInputs empty_;
  std::array<Worth, 3> worth_;
  IsnMemory memory_;
  // Of the board before the move, beginning with what the last call has left.
  IsnState here_;
  ChainClasses classes_, classes_shown_;
  Likelihoods seen_here_, seen_tried_;
};

}  // namespace golois
