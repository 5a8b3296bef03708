#include "isn.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace golois {

namespace {

// The numbers of those outputs that a state has.
IsnSums picked(PointState state, const float *of_outputs) {
  IsnSums sums{};
  const UsedOutputs used = used_outputs(state);
  for (int i = 0; i < used.count; ++i) sums[i] = of_outputs[used.of[i]];
  return sums;
}

}  // namespace

Isn::Isn(int size, const float *kernels) : size_(size), width_(size + 2) {
  std::memcpy(&kernels_, kernels, sizeof kernels_);
  for (int tap = 0; tap < kIsnTaps; ++tap) steps_[tap] = (tap / 3 - 1) * width_ + tap % 3 - 1;
  for (int point = 0; point < size * size; ++point)
    padded_[point] = static_cast<int16_t>((point / size + 1) * width_ + point % size + 1);
  find_terms();
  for (PointState state : {PointState::kEmpty, PointState::kOwn, PointState::kEnemy}) {
    OfState &weights = of_state_[static_cast<int>(state)];
    for (const Term &term : terms_) weights.terms.push_back(picked(state, term.weights.data()));
    for (int tap = 0; tap < kIsnTaps; ++tap)
      for (int input = 0; input < kIsnInputs; ++input)
        weights.inputs[tap][input] = picked(state, kernels_.input_output[tap][input]);
  }
}

// Weights that are shared make terms of several units, whose sum is multiplied once; those that are 0 make none.
void Isn::find_terms() {
  for (int tap = 0; tap < kIsnTaps; ++tap)
    for (int unit = 0; unit < kIsnHidden; ++unit) {
      std::array<float, kIsnOutputs> weights, negative;
      std::copy_n(kernels_.hidden_output[tap][unit], kIsnOutputs, weights.begin());
      std::transform(weights.begin(), weights.end(), negative.begin(), std::negate<>());
      if (weights == negative) continue;
      const int from = steps_[tap] * kIsnHidden + unit;
      const auto found = std::find_if(terms_.begin(), terms_.end(), [&](const Term &term) {
        return term.weights == weights || term.weights == negative;
      });
      if (found == terms_.end())
        terms_.push_back({weights, {from}, {}});
      else
        (found->weights == weights ? found->plus : found->minus).push_back(from);
    }
}

IsnInputs Isn::empty_inputs() const {
  IsnInputs inputs;
  inputs.fill(kInputOffBoard);
  for (int point = 0; point < size_ * size_; ++point) inputs[padded_[point]] = kInputEmpty;
  return inputs;
}

void Isn::evaluate(const IsnInputs &inputs, IsnState &state) const {
  state.inputs = inputs;
  for (int at = 0; at < width_ * width_; ++at) state.hidden[at].fill(0);
  for (int point = 0; point < size_ * size_; ++point) compute_hidden(padded_[point], state);
  for (int point = 0; point < size_ * size_; ++point) compute_sums(padded_[point], state);
}

PaddedSet Isn::update(const IsnInputs &inputs, IsnState &state) const {
  PaddedSet changed{};
  for (int row = 1; row <= size_; ++row)
    for (int column = 1; column <= size_; ++column) {
      const int at = row * width_ + column;
      changed[row] |= uint32_t{inputs[at] != state.inputs[at]} << column;
    }
  std::copy_n(inputs.begin(), width_ * width_, state.inputs.begin());
  changed = grown(changed);
  for_each(changed, [&](int at) { compute_hidden(at, state); });
  changed = grown(changed);
  for_each(changed, [&](int at) { compute_sums(at, state); });
  return changed;
}

void Isn::restore(const IsnState &earlier, const PaddedSet &changed, IsnState &state) const {
  for_each(changed, [&](int at) {
    state.inputs[at] = earlier.inputs[at];
    state.hidden[at] = earlier.hidden[at];
    state.sums[at] = earlier.sums[at];
  });
}

// A set and what is beside it, also across corners, on the board.
PaddedSet Isn::grown(const PaddedSet &set) const {
  const uint32_t on_board = ((uint32_t{1} << size_) - 1) << 1;
  PaddedSet wide{}, grown{};
  for (int row = 0; row < width_; ++row) wide[row] = (set[row] | set[row] << 1 | set[row] >> 1) & on_board;
  for (int row = 1; row <= size_; ++row) grown[row] = wide[row - 1] | wide[row] | wide[row + 1];
  return grown;
}

void Isn::compute_hidden(int at, IsnState &state) const {
  std::array<float, kIsnHidden> sums{};
  for (int tap = 0; tap < kIsnTaps; ++tap) {
    const float *weights = kernels_.input_hidden[tap][state.inputs[at + steps_[tap]]];
    for (int unit = 0; unit < kIsnHidden; ++unit) sums[unit] += weights[unit];
  }
  for (int unit = 0; unit < kIsnHidden; ++unit) state.hidden[at][unit] = fast_tanh(sums[unit]);
}

void Isn::compute_sums(int at, IsnState &state) const {
  const OfState &weights = of_state_[static_cast<int>(state_of_input(state.inputs[at]))];
  IsnSums sums{};
  for (int tap = 0; tap < kIsnTaps; ++tap) {
    const IsnSums &direct = weights.inputs[tap][state.inputs[at + steps_[tap]]];
    for (int lane = 0; lane < kIsnLanes; ++lane) sums[lane] += direct[lane];
  }
  const float *hidden = state.hidden[at].data();
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    float units = 0;
    for (int from : terms_[i].plus) units += hidden[from];
    for (int from : terms_[i].minus) units -= hidden[from];
    for (int lane = 0; lane < kIsnLanes; ++lane) sums[lane] += units * weights.terms[i][lane];
  }
  state.sums[at] = sums;
}

void Isn::add_gradient(const IsnState &state, const std::array<IsnSums, kMaxPaddedPoints> &errors,
                       IsnKernels<double> &gradient) const {
  std::array<std::array<float, kIsnHidden>, kMaxPaddedPoints> of_hidden{};
  for (int point = 0; point < size_ * size_; ++point) {
    const int at = padded_[point];
    const UsedOutputs used = used_outputs(state_of_input(state.inputs[at]));
    for (int i = 0; i < used.count; ++i) {
      const int output = used.of[i];
      const float error = errors[at][i];
      for (int tap = 0; tap < kIsnTaps; ++tap) {
        const int from = at + steps_[tap];
        gradient.input_output[tap][state.inputs[from]][output] += double{error};
        for (int unit = 0; unit < kIsnHidden; ++unit) {
          gradient.hidden_output[tap][unit][output] += double{state.hidden[from][unit] * error};
          of_hidden[from][unit] += kernels_.hidden_output[tap][unit][output] * error;
        }
      }
    }
  }
  for (int point = 0; point < size_ * size_; ++point) {
    const int at = padded_[point];
    std::array<double, kIsnHidden> error;
    for (int unit = 0; unit < kIsnHidden; ++unit)
      error[unit] = double{of_hidden[at][unit] * (1 - state.hidden[at][unit] * state.hidden[at][unit])};
    for (int tap = 0; tap < kIsnTaps; ++tap) {
      double *inner = gradient.input_hidden[tap][state.inputs[at + steps_[tap]]];
      for (int unit = 0; unit < kIsnHidden; ++unit) inner[unit] += error[unit];
    }
  }
}

}  // namespace golois
