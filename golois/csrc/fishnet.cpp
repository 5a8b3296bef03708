#include "fishnet.hpp"

#include <limits>

namespace golois {

FishNet::FishNet(const Isn &network, const FishNetOptions &options)
    : network_(network), options_(options), position_(network.size()), empty_(network.empty_inputs()) {
  network_.evaluate(empty_, views_[kBlack].state);
  views_[kWhite].state = views_[kBlack].state;
  for (Colour colour : {kBlack, kWhite}) remember(colour);
}

void FishNet::play(int move, Colour colour) {
  if (move != position_.pass())
    for (Colour other : {kBlack, kWhite}) adjust(move, other == colour, views_[other].seen);
  position_.play_unchecked(move, colour);
  network_.update(inputs(colour, views_[colour].seen), views_[colour].state);
  remember(colour);
}

PointState FishNet::state_of(int point, Colour colour) const {
  const Colour stone = position_.board().at(point);
  return stone == kEmpty ? PointState::kEmpty : stone == colour ? PointState::kOwn : PointState::kEnemy;
}

namespace {

std::array<float, kNumPointOutputs> squashed(PointState state, const IsnSums &sums) {
  IsnSums shares;
  for (int lane = 0; lane < kIsnLanes; ++lane) shares[lane] = fast_sigmoid(sums[lane]);
  std::array<float, kNumPointOutputs> outputs;
  outputs.fill(std::numeric_limits<float>::quiet_NaN());
  const UsedOutputs used = used_outputs(state);
  for (int i = 0; i < used.count; ++i) outputs[used.of[i]] = shares[i];
  return outputs;
}

}  // namespace

std::array<float, kNumPointOutputs> FishNet::outputs(int point, Colour colour) const {
  return squashed(state_of(point, colour), views_[colour].state.sums[network_.padded(point)]);
}

PointRewards FishNet::rewards(int point, Colour colour) const {
  return rewards_of(state_of(point, colour), outputs(point, colour).data(), options_.captured);
}

void FishNet::values(std::vector<float> &values) {
  const Colour colour = position_.to_play();
  const int num_points = position_.pass();
  here_ = views_[colour];
  network_.update(inputs(colour, here_.seen), here_.state);
  std::vector<float> by_point(network_.width() * network_.width(), 0.0f);
  float total = 0;
  for (int point = 0; point < num_points; ++point)
    total += by_point[network_.padded(point)] = value_of_point(point, colour, here_.state);
  values.assign(num_points + 1, std::numeric_limits<float>::quiet_NaN());
  values[num_points] = total;
  scratch_ = here_;
  for (int move = 0; move < num_points; ++move)
    if (position_.legality(move, colour) == Legality::kLegal) values[move] = value_of_move(move, colour, by_point);
}

float FishNet::value_of_move(int move, Colour colour, const std::vector<float> &values_here) {
  Board &board = position_.board_to_read();
  Board::Undo undo;
  board.play(move, colour, undo);
  adjust(move, true, scratch_.seen);
  const PaddedSet changed = network_.update(inputs(colour, scratch_.seen), scratch_.state);
  float total = 0;
  for (int point = 0; point < position_.pass(); ++point) {
    const int at = network_.padded(point);
    const bool is_new = changed[at / network_.width()] >> (at % network_.width()) & 1;
    total += is_new ? value_of_point(point, colour, scratch_.state) : values_here[at];
  }
  network_.restore(here_.state, changed, scratch_.state);
  for (int q : board.neighbours(move))
    if (q != kOffBoard) {
      scratch_.seen.own[q] = here_.seen.own[q];
      scratch_.seen.eye[q] = here_.seen.eye[q];
      scratch_.seen.enemy_eye[q] = here_.seen.enemy_eye[q];
    }
  board.undo(undo);
  return total;
}

IsnInputs FishNet::inputs(Colour colour, const Likelihoods &seen) const {
  std::array<uint8_t, kMaxPoints> classes;
  write_chain_classes(position_.board(), colour, seen, classes);
  IsnInputs inputs = empty_;
  const auto write = [&](Colour stones, uint8_t first) {
    position_.board().stones(stones).for_each(
        [&](int p) { inputs[network_.padded(p)] = static_cast<uint8_t>(first + classes[p]); });
  };
  write(colour, 0);
  write(opponent(colour), kInputEnemy);
  return inputs;
}

float FishNet::value_of_point(int point, Colour colour, const IsnState &state) const {
  const PointState of_point = state_of(point, colour);
  const auto outputs = squashed(of_point, state.sums[network_.padded(point)]);
  return rewards_of(of_point, outputs.data(), options_.captured).at(options_.stone);
}

// Keeps what a player's evaluation says for its next one.
void FishNet::remember(Colour colour) {
  Likelihoods &seen = views_[colour].seen;
  for (int point = 0; point < position_.pass(); ++point) {
    const auto of_point = outputs(point, colour);
    switch (state_of(point, colour)) {
      case PointState::kOwn:
        seen.own[point] = of_point[kZOwn], seen.eye[point] = 0, seen.enemy_eye[point] = of_point[kAOwn];
        break;
      case PointState::kEnemy:
        seen.own[point] = of_point[kZEnemy], seen.eye[point] = of_point[kAEnemy], seen.enemy_eye[point] = 0;
        break;
      default:
        seen.own[point] = of_point[kZEmpty], seen.eye[point] = of_point[kAEye], seen.enemy_eye[point] = of_point[kAEnemyEye];
    }
  }
}

void FishNet::adjust(int point, bool is_own, Likelihoods &seen) const {
  adjust_beside(position_.board().neighbours(point), is_own, options_.step, seen);
}

}  // namespace golois
