// How a loss changes with the kernels of isn.hpp.
#include <algorithm>
#include <cstddef>

#include "fishnet/isn.hpp"

namespace golois {

namespace {

// The gradient of one position, in the order in which it is summed.
struct Sums {
  std::array<std::array<IsnHiddenUnits, kIsnInputs>, kIsnTaps> to_hidden;
  std::array<std::array<IsnHiddenUnits, kIsnOutputs>, kIsnTaps> from_hidden;
  // by the state of the point whose sum it is
  std::array<std::array<std::array<Four, 3>, kIsnInputs>, kIsnTaps> shortcut;
};

void add(const Sums &sums, IsnKernels<double> &gradient) {
  for (int tap = 0; tap < kIsnTaps; ++tap) {
    for (int unit = 0; unit < kIsnHidden; ++unit) {
      for (int input = 0; input < kIsnInputs; ++input)
        gradient.input_hidden[tap][input][unit] +=
            double{sums.to_hidden[tap][input][unit / 4][unit % 4]};
      for (int output = 0; output < kIsnOutputs; ++output)
        gradient.hidden_output[tap][unit][output] +=
            double{sums.from_hidden[tap][output][unit / 4][unit % 4]};
    }
    for (int input = 0; input < kIsnInputs; ++input)
      for (PointState state : {PointState::kEmpty, PointState::kOwn, PointState::kEnemy}) {
        const UsedOutputs used = used_outputs(state);
        for (int i = 0; i < used.count; ++i)
          gradient.input_output[tap][input][used.of[i]] +=
              double{sums.shortcut[tap][input][static_cast<int>(state)][i]};
      }
  }
}

}  // namespace

IsnTrace Isn::trace(const IsnState &state) const {
  IsnTrace trace;
  for (int at = 0; at < width_ * width_; ++at) {
    trace.inputs.push_back(state.inputs[at]);
    trace.hidden.push_back(state.cells[at].hidden);
    trace.sums.push_back(state.sums[at]);
  }
  return trace;
}

void Isn::add_gradient(const IsnTrace &trace, const std::array<IsnSums, kMaxPaddedPoints> &errors,
                       IsnKernels<double> &gradient) const {
  Sums sums{};
  std::vector<IsnHiddenUnits> of_hidden(width_ * width_);
  for (int point = 0; point < size_ * size_; ++point) {
    const int at = padded_[point];
    const PointState state = state_of_input(trace.inputs[at]);
    const UsedOutputs used = used_outputs(state);
    for (int tap = 0; tap < kIsnTaps; ++tap) {
      const int from = at + steps_[tap];
      sums.shortcut[tap][trace.inputs[from]][static_cast<int>(state)] += errors[at];
      for (int i = 0; i < used.count; ++i)
        for (std::size_t unit = 0; unit < trace.hidden[from].size(); ++unit) {
          sums.from_hidden[tap][used.of[i]][unit] += errors[at][i] * trace.hidden[from][unit];
          of_hidden[from][unit] += errors[at][i] * from_hidden_[tap][used.of[i]][unit];
        }
    }
  }
  for (int point = 0; point < size_ * size_; ++point) {
    const int at = padded_[point];
    for (std::size_t unit = 0; unit < of_hidden[at].size(); ++unit) {
      const Four hidden = trace.hidden[at][unit],
                 error = of_hidden[at][unit] * (1.0f - hidden * hidden);
      for (int tap = 0; tap < kIsnTaps; ++tap)
        sums.to_hidden[tap][trace.inputs[at + steps_[tap]]][unit] += error;
    }
  }
  add(sums, gradient);
}

}  // namespace golois
