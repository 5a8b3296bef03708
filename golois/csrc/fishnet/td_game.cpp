#include "fishnet/td_game.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kit/error.hpp"
#include "kit/rng.hpp"

namespace golois {

namespace {

using AllRewards = std::array<PointRewards, kMaxPoints>;

// A position as the player sees it that has moved to it.
struct Step {
  Colour player;
  int move;
  IsnTrace evaluation;
  std::array<PointState, kMaxPoints> states;
  AllRewards rewards;
  PointSet captured;  // the enemy stones that the move has taken
};

struct PlayedTdGame {
  std::vector<Step> steps;
  Position last;
  bool is_cut;
};

int drawn(const std::vector<float> &values, double beta, Rng &rng) {
  double best = values.back();  // a pass is always legal
  if (!std::isfinite(best))
    throw Error("the values of the network are not numbers: train again with a lower rate");
  for (float value : values)
    if (value > best) best = double{value};
  std::vector<double> sums;
  double sum = 0;
  for (float value : values)
    sums.push_back(sum += std::isnan(value) ? 0 : std::exp(beta * (double{value} - best)));
  return static_cast<int>(std::lower_bound(sums.begin(), sums.end(), rng.uniform() * sum) -
                          sums.begin());
}

PlayedTdGame played(const Isn &network, const TdOptions &options, uint64_t seed) {
  FishNet player(network, options.player);
  Rng rng(mix64(seed));
  std::vector<Step> steps;
  std::vector<float> values;
  const Position &position = player.position();
  while (position.num_consecutive_passes() < 2 && position.num_moves() < options.max_moves) {
    const Colour colour = position.to_play();
    const PointSet enemies = position.board().stones(opponent(colour));
    player.write_values(values);
    Step &step = steps.emplace_back();
    step.player = colour;
    step.move = drawn(values, options.beta, rng);
    player.play(step.move, colour);
    step.evaluation = network.trace(player.evaluation(colour));
    step.captured = enemies - position.board().stones(opponent(colour));
    for (int point = 0; point < position.pass(); ++point) {
      step.states[point] = state_of(position.board().at(point), colour);
      step.rewards[point] = player.rewards(point, colour);
    }
  }
  return {std::move(steps), position, position.num_consecutive_passes() < 2};
}

// What the points of the last position are worth to a colour: nothing is dead, as the scoring lets
// players take what they can.
AllRewards last_rewards(const Position &position, Colour colour) {
  const Board &board = position.board();
  const Geometry &points = geometry(board.size());
  const PointSet &own = board.stones(colour), &enemy = board.stones(opponent(colour));
  const PointSet reaches_own = points.connected(own, points.points - enemy);
  const PointSet reaches_enemy = points.connected(enemy, points.points - own);
  AllRewards rewards;
  for (int p = 0; p < position.pass(); ++p) {
    const PointState state = own.contains(p)     ? PointState::kOwn
                             : enemy.contains(p) ? PointState::kEnemy
                                                 : PointState::kEmpty;
    rewards[p] = final_rewards(state, reaches_own.contains(p) - reaches_enemy.contains(p));
  }
  return rewards;
}

PointRewards operator+(const PointRewards &a, const PointRewards &b) {
  return {a.with_stones + b.with_stones, a.without_stones + b.without_stones};
}
PointRewards operator*(float share, const PointRewards &a) {
  return {share * a.with_stones, share * a.without_stones};
}

// Goes back through a game, from its last step, with the return of each of its positions.
class Returns {
 public:
  Returns(const PlayedTdGame &game, const TdOptions &options)
      : game_(game),
        lambda_(static_cast<float>(options.lambda)),
        captured_(options.player.captured),
        stride_(options.every_move ? 1 : 2),
        num_steps_(static_cast<int>(game.steps.size())) {}

  // The returns of a step, to its player; steps must come from the last to the first.
  const AllRewards &of(int at) {
    const Step &step = game_.steps[at];
    AllRewards &returns = latest_[at % stride_];
    const int next = at + stride_;
    if (next >= num_steps_) {
      returns = last_rewards(game_.last, step.player);
    } else {
      const Step &later = game_.steps[next];
      const float sign = later.player == step.player ? 1 : -1;
      for (int p = 0; p < game_.last.pass(); ++p)
        returns[p] = sign * ((1 - lambda_) * later.rewards[p] + lambda_ * returns[p]);
    }
    for (int between = at + 1; between <= next && between < num_steps_; ++between) {
      const Step &taking = game_.steps[between];
      const float reward = taking.player == step.player ? captured_ : -captured_;
      taking.captured.for_each(
          [&](int p) { returns[p] = returns[p] + PointRewards{reward, reward}; });
    }
    return returns;
  }

 private:
  const PlayedTdGame &game_;
  float lambda_, captured_;
  int stride_, num_steps_;
  std::array<AllRewards, 2> latest_;
};

double cross_entropy(float target, float output) {
  const auto log_of = [](float share) { return std::log(std::max(double{share}, 1e-7)); };
  return -double{target} * log_of(output) - (1 - double{target}) * log_of(1 - output);
}

}  // namespace

TdGame play_td_game(const Isn &network, const TdOptions &options, uint64_t seed,
                    IsnKernels<double> &gradient) {
  const PlayedTdGame game = played(network, options, seed);
  TdGame result{{}, game.is_cut, 0, 0, 0};
  Returns returns(game, options);
  for (int at = static_cast<int>(game.steps.size()); at-- > 0;) {
    const Step &step = game.steps[at];
    const AllRewards &wanted = returns.of(at);
    std::array<IsnSums, kMaxPaddedPoints> errors{};
    for (int p = 0; p < game.last.pass(); ++p) {
      const int padded = network.padded(p);
      std::array<float, kNumPointOutputs> targets;
      write_targets(step.states[p], wanted[p], options.player.captured, targets.data());
      const UsedOutputs used = used_outputs(step.states[p]);
      for (int i = 0; i < used.count; ++i) {
        const PointOutput output = used.of[i];
        const float said = fast_sigmoid(step.evaluation.sums[padded][i]);
        errors[padded][i] = said - targets[output];
        result.loss += cross_entropy(targets[output], said);
      }
      result.num_outputs += used.count;
    }
    network.add_gradient(step.evaluation, errors, gradient);
  }
  const AllRewards last = last_rewards(game.last, kBlack);
  for (int p = 0; p < game.last.pass(); ++p)
    result.score_black += double{last[p].at(options.player.stone)};
  for (const Step &step : game.steps) {
    result.moves.push_back(static_cast<int16_t>(step.move));
    result.score_black +=
        (step.player == kBlack ? 1 : -1) * double{options.player.captured} * step.captured.size();
  }
  return result;
}

}  // namespace golois
