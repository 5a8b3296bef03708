#include "afterstates.hpp"

#include <limits>

namespace golois {

std::array<float, kNumPointOutputs> outputs_of(PointState state, const IsnSums &sums) {
  IsnSums shares;
  for (int lane = 0; lane < kIsnLanes; ++lane) shares[lane] = fast_sigmoid(sums[lane]);
  std::array<float, kNumPointOutputs> outputs;
  outputs.fill(std::numeric_limits<float>::quiet_NaN());
  const UsedOutputs used = used_outputs(state);
  for (int i = 0; i < used.count; ++i) outputs[used.of[i]] = shares[i];
  return outputs;
}

Afterstates::Afterstates(const Isn &network, const FishNetOptions &options)
    : network_(network), options_(options), empty_(network.empty_inputs()) {
  network_.evaluate(empty_, here_);
}

IsnInputs Afterstates::inputs(const Board &board, Colour player, const Likelihoods &seen) const {
  std::array<uint8_t, kMaxPoints> classes;
  write_chain_classes(board, player, seen, classes);
  IsnInputs inputs = empty_;
  const auto write = [&](Colour stones, uint8_t first) {
    board.stones(stones).for_each(
        [&](int p) { inputs[network_.padded(p)] = static_cast<uint8_t>(first + classes[p]); });
  };
  write(player, 0);
  write(opponent(player), kInputEnemy);
  return inputs;
}

void Afterstates::adjust(const Board &board, int move, bool is_own, Likelihoods &seen) const {
  if (move < board.num_points()) adjust_beside(board.neighbours(move), is_own, options_.step, seen);
}

void Afterstates::write_values(Position &position, Colour player, const Likelihoods &seen, const PointSet &points,
                               std::vector<float> &values) {
  Board &board = position.board_to_read();
  seen_here_ = seen_tried_ = seen;
  network_.update(inputs(board, player, seen), here_);
  tried_ = here_;
  std::vector<float> by_point(network_.width() * network_.width(), 0.0f);
  float total = 0;
  for (int point = 0; point < board.num_points(); ++point)
    total += by_point[network_.padded(point)] = value_of_point(board, point, player, here_);
  values.assign(board.num_points() + 1, std::numeric_limits<float>::quiet_NaN());
  values[position.pass()] = total;
  points.for_each([&](int move) {
    if (position.legality(move, player) == Legality::kLegal) values[move] = value_after(board, move, player, by_point);
  });
}

// Only what the move changes is evaluated anew, and taken back at the end.
float Afterstates::value_after(Board &board, int move, Colour player, const std::vector<float> &values_here) {
  Board::Undo undo;
  board.play(move, player, undo);
  adjust(board, move, true, seen_tried_);
  const PaddedSet changed = network_.update(inputs(board, player, seen_tried_), tried_);
  float total = 0;
  for (int point = 0; point < board.num_points(); ++point) {
    const int at = network_.padded(point);
    const bool is_new = changed[at / network_.width()] >> (at % network_.width()) & 1;
    total += is_new ? value_of_point(board, point, player, tried_) : values_here[at];
  }
  network_.restore(here_, changed, tried_);
  for (int q : board.neighbours(move)) {
    if (q == kOffBoard) continue;
    seen_tried_.own[q] = seen_here_.own[q];
    seen_tried_.eye[q] = seen_here_.eye[q];
    seen_tried_.enemy_eye[q] = seen_here_.enemy_eye[q];
  }
  board.undo(undo);
  return total;
}

float Afterstates::value_of_point(const Board &board, int point, Colour player, const IsnState &state) const {
  const PointState of_point = state_of(board.at(point), player);
  const auto outputs = outputs_of(of_point, state.sums[network_.padded(point)]);
  return rewards_of(of_point, outputs.data(), options_.captured).at(options_.stone);
}

}  // namespace golois
