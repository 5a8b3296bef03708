#include "search/race.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace golois {

namespace {

constexpr double kLeastPrior = std::numeric_limits<float>::min();

// How often a number must be halved until it is 1, rounded up.
int num_halvings(int number) {
  int count = 0;
  while (1 << count < number) ++count;
  return count;
}

}  // namespace

Race::Race(const Nodes &nodes, const RaceOptions &options, const std::vector<double> &noise)
    : options_(options) {
  const auto enter = [&](Point move, float prior) {
    const double positive = std::max<double>(prior, kLeastPrior);
    runners_.push_back({move, positive, std::log(positive), noise.empty() ? 0.0 : noise[move]});
  };
  const Node &root = nodes[Nodes::kRoot];
  nodes.for_each_child(Nodes::kRoot, [&](const Node &child) { enter(child.move, child.prior); });
  for (int i = 0; i < root.num_edges; ++i) enter(root.edges[i].move(), root.edges[i].prior());
  std::sort(runners_.begin(), runners_.end(),
            [](const Runner &a, const Runner &b) { return a.move < b.move; });
  for (std::size_t i = 0; i < runners_.size(); ++i)
    place_of_[runners_[i].move] = static_cast<int16_t>(i);
  num_rounds_ = num_halvings(std::min(options.num_considered, static_cast<int>(runners_.size())));
}

int Race::num_until_halving(int num_left) {
  if (num_left_in_round_ == 0) begin_round(num_begun_ + num_left);
  return std::min(num_left, num_left_in_round_);
}

// All considered get equal shares of an equal part of the simulations; once two are left, they
// share what remains.
void Race::begin_round(int num_simulations) {
  if (num_considered_ == 0) {
    num_considered_ = std::min(options_.num_considered, static_cast<int>(runners_.size()));
  } else if (num_considered_ > 1) {
    num_before_round_ += round_size_ / num_considered_;
    num_considered_ = std::max(2, num_considered_ / 2);
  } else {
    num_before_round_ += round_size_;
  }
  round_size_ =
      num_considered_ * std::max(1, num_simulations / (std::max(1, num_rounds_) * num_considered_));
  num_left_in_round_ = round_size_;
}

int Race::next(const Nodes &nodes) {
  look_at(nodes);
  const int num_passes = (round_size_ - num_left_in_round_) / num_considered_;
  Runner &runner = runners_[best_with(num_before_round_ + num_passes)];
  ++runner.num_simulations;
  ++num_begun_;
  --num_left_in_round_;
  return runner.move;
}

void Race::take_back(int move) {
  --runners_[place_of_[move]].num_simulations;
  --num_begun_;
  ++num_left_in_round_;
}

int Race::winner(const Nodes &nodes) {
  look_at(nodes);
  int most = 0;
  for (const Runner &runner : runners_) most = std::max(most, runner.num_simulations);
  return runners_[best_with(most)].move;
}

ImprovedPolicy Race::improved_policy(const Nodes &nodes) {
  look_at(nodes);
  ImprovedPolicy policy{};
  double greatest = logit_of(runners_[0]), total = 0;
  for (const Runner &runner : runners_) greatest = std::max(greatest, logit_of(runner));
  for (const Runner &runner : runners_) {
    policy.moves.push_back(runner.move);
    policy.shares.push_back(std::exp(logit_of(runner) - greatest));
    total += policy.shares.back();
    policy.value_to_play += policy.shares.back() * value_of(runner);
  }
  for (double &share : policy.shares) share /= total;
  policy.value_to_play /= total;
  return policy;
}

// Brings visits and values up to date. Moves without visits get a mixture of the network's own
// value of the root, counted once, and the values of the others, weighed by their priors and
// counted as often as they were visited (appendix D of the paper).
void Race::look_at(const Nodes &nodes) {
  const Node &root = nodes[Nodes::kRoot];
  double own_value = root.value_sum_for(root.to_play), value_sum = 0, prior_sum = 0;
  int num_visits = 0, most_visits = 0;
  nodes.for_each_child(Nodes::kRoot, [&](const Node &child) {
    if (child.num_visits == 0) return;
    Runner &runner = runners_[place_of_[child.move]];
    runner.num_visits = child.num_visits;
    runner.value = child.value_for(root.to_play);
    own_value -= child.value_sum_for(root.to_play);
    value_sum += runner.prior * runner.value;
    prior_sum += runner.prior;
    num_visits += child.num_visits;
    most_visits = std::max(most_visits, child.num_visits);
  });
  const double expected = num_visits > 0 ? value_sum / prior_sum : 0;
  mixed_value_ = (own_value + num_visits * expected) / (1 + num_visits);
  // values are −1 … 1, win probabilities 0 … 1
  weight_ = (options_.c_visit + most_visits) * options_.c_scale / 2;
}

// The place of the best runner with so many simulations; the lowest move of equals.
int Race::best_with(int num_simulations) const {
  int best = -1;
  double best_score = 0;
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    if (runners_[i].num_simulations != num_simulations) continue;
    const double score = runners_[i].noise + logit_of(runners_[i]);
    if (best == -1 || score > best_score) {
      best = static_cast<int>(i);
      best_score = score;
    }
  }
  return best;
}

std::vector<double> gumbel_noise(int size, Rng rng) {
  std::vector<double> noise(size);
  for (double &number : noise) {
    // neither 0 nor 1
    const double uniform = (static_cast<double>(rng.next() >> 11) + 0.5) * 0x1p-53;
    number = -std::log(-std::log(uniform));
  }
  return noise;
}

}  // namespace golois
