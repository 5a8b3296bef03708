#include "fishnet/isn.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace golois {

namespace {

// Where an output is among all sums; an empty point's are the first four lanes, of which one is
// free.
constexpr std::array<int, kIsnOutputs> kLaneOfOutput{0, 4, 6, 1, 2, 5, 7};

IsnAllSums in_lanes(const float *of_outputs) {
  IsnAllSums sums{};
  for (int output = 0; output < kIsnOutputs; ++output)
    sums[kLaneOfOutput[output] / 4][kLaneOfOutput[output] % 4] = of_outputs[output];
  return sums;
}

IsnAllSums &operator+=(IsnAllSums &a, const IsnAllSums &b) {
  a[0] += b[0];
  a[1] += b[1];
  return a;
}
IsnAllSums &operator-=(IsnAllSums &a, const IsnAllSums &b) {
  a[0] -= b[0];
  a[1] -= b[1];
  return a;
}

// Of a point's `other` half, the two lanes of its state.
Four first_two(Four lanes) { return Four{lanes[0], lanes[1], 0, 0}; }
Four last_two(Four lanes) { return Four{lanes[2], lanes[3], 0, 0}; }

}  // namespace

Isn::Isn(int size, const float *kernels) : size_(size), width_(size + 2) {
  IsnKernels<float> named;
  std::memcpy(&named, kernels, sizeof named);
  for (int tap = 0; tap < kIsnTaps; ++tap) {
    steps_[tap] = (tap / 3 - 1) * width_ + tap % 3 - 1;
    for (int input = 0; input < kIsnInputs; ++input) {
      std::memcpy(&to_hidden_[tap][input], named.input_hidden[tap][input], sizeof(IsnHiddenUnits));
      shortcut_[input][tap] = in_lanes(named.input_output[tap][input]);
    }
    for (int output = 0; output < kIsnOutputs; ++output)
      for (int unit = 0; unit < kIsnHidden; ++unit)
        from_hidden_[tap][output][unit / 4][unit % 4] = named.hidden_output[tap][unit][output];
  }
  for (int point = 0; point < size * size; ++point)
    padded_[point] = static_cast<int16_t>((point / size + 1) * width_ + point % size + 1);
  find_patterns(named);
}

// Weights that are shared make a pattern of several taps, whose sum over the units is computed
// once; those that are 0 make none.
void Isn::find_patterns(const IsnKernels<float> &kernels) {
  for (int unit = 0; unit < kIsnHidden; ++unit) {
    std::array<bool, kIsnTaps> is_found{};
    for (int first = 0; first < kIsnTaps; ++first) {
      const float *weights = kernels.hidden_output[first][unit];
      std::array<int8_t, kIsnTaps> signs{};
      for (int tap = first; tap < kIsnTaps; ++tap) {
        const float *others = kernels.hidden_output[tap][unit];
        if (is_found[tap]) continue;
        const bool is_same = std::equal(weights, weights + kIsnOutputs, others);
        const bool is_negative = std::equal(weights, weights + kIsnOutputs, others,
                                            [](float a, float b) { return a == -b; });
        signs[tap] = static_cast<int8_t>(is_same - is_negative);  // 0 for weights that are 0
        is_found[tap] = is_same || is_negative;
      }
      if (signs[first] == 0) continue;
      auto found = std::find_if(patterns_.begin(), patterns_.end(),
                                [&](const Pattern &pattern) { return pattern.signs == signs; });
      if (found == patterns_.end()) found = patterns_.insert(found, Pattern{signs, {}});
      found->terms.push_back({unit, in_lanes(weights)});
    }
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i)
    for (int tap = 0; tap < kIsnTaps; ++tap) {
      if (patterns_[i].signs[tap] > 0) of_taps_[tap].plus.push_back(static_cast<int>(i));
      if (patterns_[i].signs[tap] < 0) of_taps_[tap].minus.push_back(static_cast<int>(i));
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
  for (int at = 0; at < width_ * width_; ++at) state.cells[at] = {{}, shortcut_[kInputOffBoard]};
  for (int point = 0; point < size_ * size_; ++point)
    compute_cell(inputs, padded_[point], state.cells[padded_[point]]);
  for (int point = 0; point < size_ * size_; ++point)
    state.sums[padded_[point]] = sums_of(padded_[point], state);
}

void Isn::update(const IsnInputs &inputs, IsnState &state, IsnMemory &memory) const {
  const PaddedSet cells = grown(difference(inputs, state.inputs));
  state.inputs = inputs;
  for_each(cells, [&](int at) { recall_cell(at, state, memory); });
  for_each(grown(cells), [&](int at) { state.sums[at] = sums_of(at, state); });
}

PaddedSet Isn::difference(const IsnInputs &a, const IsnInputs &b) const {
  PaddedSet differ{};
  for (int row = 1; row <= size_; ++row)
    for (int column = 1; column <= size_; ++column) {
      const int at = row * width_ + column;
      differ[row] |= uint32_t{a[at] != b[at]} << column;
    }
  return differ;
}

// A set and what is beside it, also across corners, on the board.
PaddedSet Isn::grown(const PaddedSet &set) const {
  const uint32_t on_board = ((uint32_t{1} << size_) - 1) << 1;
  PaddedSet wide{}, grown{};
  for (int row = 0; row < width_; ++row)
    wide[row] = (set[row] | set[row] << 1 | set[row] >> 1) & on_board;
  for (int row = 1; row <= size_; ++row) grown[row] = wide[row - 1] | wide[row] | wide[row + 1];
  return grown;
}

// The cell from memory, where it is written if it isn't there.
void Isn::recall_cell(int at, IsnState &state, IsnMemory &memory) const {
  uint64_t key = 1;  // and four bits for each input
  for (int row = -1; row <= 1; ++row) {
    const uint8_t *inputs = &state.inputs[at + row * width_];
    key = key << 12 | inputs[-1] << 8 | inputs[0] << 4 | inputs[1];
  }
  IsnMemory::Entry &entry = memory.entry(key);
  if (entry.key != key) {
    entry.key = key;
    compute_cell(state.inputs, at, entry.cell);
  }
  state.cells[at] = entry.cell;
}

void Isn::compute_cell(const IsnInputs &inputs, int at, IsnCell &cell) const {
  IsnHiddenUnits hidden{};
  for (int tap = 0; tap < kIsnTaps; ++tap) {
    const IsnHiddenUnits &weights = to_hidden_[tap][inputs[at + steps_[tap]]];
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] += weights[i];
  }
  for (Four &units : hidden) units = fast_tanh(units);
  float units[kIsnHidden];
  std::memcpy(units, &hidden, sizeof units);
  std::array<IsnAllSums, kIsnTaps * kIsnHidden> of_patterns;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    IsnAllSums sums{};
    for (const Pattern::Term &term : patterns_[i].terms)
      sums += {units[term.unit] * term.weights[0], units[term.unit] * term.weights[1]};
    of_patterns[i] = sums;
  }
  cell.hidden = hidden;
  for (int tap = 0; tap < kIsnTaps; ++tap) {
    IsnAllSums sums = shortcut_[inputs[at]][tap];
    for (int i : of_taps_[tap].plus) sums += of_patterns[i];
    for (int i : of_taps_[tap].minus) sums -= of_patterns[i];
    cell.shares[tap] = sums;
  }
}

// A point is at a tap of those whose sums it adds to.
IsnSums Isn::sums_of(int at, const IsnState &state) const {
  const PointState here = state_of_input(state.inputs[at]);
  const int half = here != PointState::kEmpty;
  Four sums{};
  for (int tap = 0; tap < kIsnTaps; ++tap) sums += state.cells[at + steps_[tap]].shares[tap][half];
  return here == PointState::kEmpty ? sums
         : here == PointState::kOwn ? first_two(sums)
                                    : last_two(sums);
}

}  // namespace golois
