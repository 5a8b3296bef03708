#include "fishnet/afterstates.hpp"

#include <limits>

namespace golois {

std::array<float, kNumPointOutputs> outputs_of(PointState state, const IsnSums &sums) {
  const Four shares = fast_sigmoid(sums);
  std::array<float, kNumPointOutputs> outputs;
  outputs.fill(std::numeric_limits<float>::quiet_NaN());
  const UsedOutputs used = used_outputs(state);
  for (int i = 0; i < used.count; ++i) outputs[used.of[i]] = shares[i];
  return outputs;
}

Afterstates::Afterstates(const Isn &network, const FishNetOptions &options)
    : network_(network),
      options_(options),
      empty_(network.empty_inputs()),
      classes_(options.chains),
      classes_shown_(options.chains) {
  network_.evaluate(empty_, here_);
  for (PointState state : {PointState::kEmpty, PointState::kOwn, PointState::kEnemy}) {
    const auto worth = [&](std::array<float, kNumPointOutputs> outputs) {
      return rewards_of(state, outputs.data(), options.captured).at(options.stone);
    };
    Worth &of_state = worth_[static_cast<int>(state)];
    std::array<float, kNumPointOutputs> outputs;
    outputs.fill(0.5f);
    of_state.whole = worth(outputs);
    const UsedOutputs used = used_outputs(state);
    for (int i = 0; i < used.count; ++i) {
      outputs[used.of[i]] = 1;
      of_state.per_lane[i] = worth(outputs) - of_state.whole;
      outputs[used.of[i]] = 0.5f;
    }
  }
}

IsnInputs Afterstates::inputs(const Board &board, Colour player,
                              const ChainClasses &classes) const {
  IsnInputs inputs = empty_;
  const auto write = [&](Colour stones, uint8_t first) {
    board.stones(stones).for_each([&](int p) {
      inputs[network_.padded(p)] = static_cast<uint8_t>(first + classes.of(board.chain_at(p)));
    });
  };
  write(player, 0);
  write(opponent(player), kInputEnemy);
  return inputs;
}

void Afterstates::adjust(const Board &board, int move, bool is_own, Likelihoods &seen) const {
  if (move < board.num_points()) adjust_beside(board.neighbours(move), is_own, options_.step, seen);
}

void Afterstates::write_values(Position &position, Colour player, const Likelihoods &seen,
                               const PointSet &points, std::vector<float> &values) {
  Board &board = position.board_to_read();
  seen_here_ = seen_tried_ = seen;
  classes_.find(board, player, seen);
  network_.update(inputs(board, player, classes_), here_, memory_);
  std::vector<float> worth_here(network_.width() * network_.width(), 0.0f);
  double value_here = 0;
  for (int point = 0; point < board.num_points(); ++point) {
    const int at = network_.padded(point);
    worth_here[at] = worth_of(state_of_input(here_.inputs[at]), here_.sums[at]);
    value_here += double{worth_here[at]};
  }
  values.assign(board.num_points() + 1, std::numeric_limits<float>::quiet_NaN());
  values[position.pass()] = static_cast<float>(value_here);
  points.for_each([&](int move) {
    if (position.legality(move, player) == Legality::kLegal)
      values[move] = value_after(board, move, player, value_here, worth_here);
  });
}

// Only what the move changes is evaluated anew.
float Afterstates::value_after(Board &board, int move, Colour player, double value_here,
                               const std::vector<float> &worth_here) {
  const PointSet within_reach = classes_.within_reach(board, move);
  const IsnInputs inputs_here = here_.inputs;
  Board::Undo undo;
  const bool captures = board.play(move, player, undo) > 0;
  adjust(board, move, true, seen_tried_);
  PaddedSet changed{};
  if (captures) {
    here_.inputs = inputs(board, player, seen_tried_);
    changed = network_.difference(here_.inputs, inputs_here);
  } else {
    changed = show_after(board, move, within_reach, player);
  }
  double value = value_here;
  network_.try_inputs(changed, here_, memory_, [&](int at, Four sums) {
    value += double{worth_of(state_of_input(here_.inputs[at]), sums)} - double{worth_here[at]};
  });
  here_.inputs = inputs_here;
  for (int q : board.neighbours(move)) {
    if (q == kOffBoard) continue;
    seen_tried_.own[q] = seen_here_.own[q];
    seen_tried_.eye[q] = seen_here_.eye[q];
    seen_tried_.enemy_eye[q] = seen_here_.enemy_eye[q];
  }
  board.undo(undo);
  return static_cast<float>(value);
}

// Changes the inputs to those after a move that takes no stones; returns where.
PaddedSet Afterstates::show_after(const Board &board, int move, const PointSet &within_reach,
                                  Colour player) {
  PaddedSet changed{};
  classes_.after(board, move, within_reach, player, seen_tried_, [&](int chain, uint8_t found) {
    const auto input =
        static_cast<uint8_t>(board.at(chain) == player ? found : kInputEnemy + found);
    board.for_each_stone(chain, [&](int p) {
      const int at = network_.padded(p);
      changed[at / network_.width()] |= uint32_t{here_.inputs[at] != input}
                                        << (at % network_.width());
      here_.inputs[at] = input;
    });
  });
  return changed;
}

float Afterstates::worth_of(PointState state, Four sums) const {
  const Worth &worth = worth_[static_cast<int>(state)];
  const Four parts = worth.per_lane * fast_tanh(0.5f * sums);
  return worth.whole + (parts[0] + parts[1] + parts[2]);
}

}  // namespace golois
