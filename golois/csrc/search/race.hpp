// A race of a root's moves by sequential halving, with Gumbel noise and completed values, as mctx
// computes it.
//
// Source: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel",
// 2022, and gumbel_muzero_policy of mctx, for the root; below it, the tree stays with PUCT.
#pragma once

#include <array>
#include <vector>

#include "kit/rng.hpp"
#include "search/nodes.hpp"

namespace golois {

struct RaceOptions {
  int num_considered;  // moves that enter the race
  // a win probability weighs (c_visit + most visits of a move) · c_scale beside the logit
  double c_visit;
  double c_scale;
};

// What a search makes of the network's policy: softmax of logits and completed values, without the
// noise.
struct ImprovedPolicy {
  std::vector<Point> moves;  // ascending
  std::vector<double> shares;
  double value_to_play;  // the mean of the completed values, −1 … 1
};

class Race {
 public:
  // Of an expanded root's moves. `noise` has a number for each move, by its point, or none at all.
  // Visits from before the race count in values, and not as simulations.
  Race(const Nodes &nodes, const RaceOptions &options, const std::vector<double> &noise);

  // How many simulations may begin before their values decide who goes on, where `num_left` (1 or
  // more) are left in all.
  int num_until_halving(int num_left);

  // The move that the next of these simulations begins with.
  int next(const Nodes &nodes);

  // Takes the last next() back.
  void take_back(int move);

  // The best of those with most simulations.
  int winner(const Nodes &nodes);

  ImprovedPolicy improved_policy(const Nodes &nodes);

 private:
  struct Runner {
    Point move;
    double prior, logit, noise;
    int num_simulations = 0;
    int num_visits = 0;
    double value = 0;  // for the root's side to move, −1 … 1, where there are visits
  };

  void look_at(const Nodes &nodes);
  void begin_round(int num_simulations);
  double value_of(const Runner &runner) const {
    return runner.num_visits > 0 ? runner.value : mixed_value_;
  }
  double logit_of(const Runner &runner) const { return runner.logit + weight_ * value_of(runner); }
  int best_with(int num_simulations) const;

  RaceOptions options_;
  std::vector<Runner> runners_;  // by their moves, ascending
  std::array<int16_t, kMaxPoints + 1> place_of_{};
  int num_rounds_;               // that halve all who enter to two
  int num_considered_ = 0;       // in this round
  int round_size_ = 0, num_left_in_round_ = 0;
  int num_before_round_ = 0;     // simulations that each of those considered had before this round
  int num_begun_ = 0;            // simulations
  double mixed_value_ = 0, weight_ = 0;  // of moves without visits; of a value beside a logit
};

// Numbers from the standard Gumbel distribution.
std::vector<double> gumbel_noise(int size, Rng rng);

}  // namespace golois
