// Blair's Internal Symmetry Network on one board: one of 14 inputs a point, 12 hidden units with
// tanh, 7 sums, shortcut.
//
// It takes kernels whole; golois/kernels/irreps.py says which of their numbers are one weight. Of a
// point only the outputs are computed that its state has. An evaluation is changed by computing
// anew what another board differs in, which gives the same numbers as a whole one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fishnet/cell_rewards.hpp"
#include "go/point.hpp"

namespace golois {

constexpr int kIsnInputs = 14, kIsnHidden = 12, kIsnOutputs = kNumPointOutputs, kIsnTaps = 9;

// Inputs 0 … 5 are classes of the player's chains, 6 … 11 of the enemy's.
constexpr uint8_t kInputEnemy = 6, kInputEmpty = 12, kInputOffBoard = 13;
constexpr PointState state_of_input(uint8_t input) {
  return input >= kInputEmpty   ? PointState::kEmpty
         : input >= kInputEnemy ? PointState::kEnemy
                                : PointState::kOwn;
}

// A board with a ring of points off it, row by row; `size` + 2 on a side.
constexpr int kMaxPaddedPoints = (kMaxSize + 2) * (kMaxSize + 2);
using IsnInputs = std::array<uint8_t, kMaxPaddedPoints>;

// A set of its points, a word a row.
using PaddedSet = std::array<uint32_t, kMaxSize + 2>;

// As Keras keeps them: [3, 3, inputs, outputs].
template <typename Number>
struct IsnKernels {
  Number input_hidden[kIsnTaps][kIsnInputs][kIsnHidden];
  Number hidden_output[kIsnTaps][kIsnHidden][kIsnOutputs];
  Number input_output[kIsnTaps][kIsnInputs][kIsnOutputs];
};
constexpr int kIsnKernelNumbers = sizeof(IsnKernels<float>) / sizeof(float);  // 3150

// Four numbers, on which an operation is one instruction.
typedef float Four __attribute__((vector_size(16)));

// Of a point, in the order of used_outputs(); what is left is 0.
constexpr int kIsnLanes = 4;
using IsnSums = Four;
using IsnHiddenUnits = std::array<Four, kIsnHidden / 4>;

// All outputs: the first four are an empty point's, then two of an own stone and two of an enemy
// stone.
using IsnAllSums = std::array<Four, 2>;

// A point's hidden units, and what it adds to the sums around it.
struct IsnCell {
  IsnHiddenUnits hidden;
  std::array<IsnAllSums, kIsnTaps> shares;
};

// An evaluation, by padded points.
struct IsnState {
  IsnInputs inputs;
  std::array<IsnCell, kMaxPaddedPoints> cells;
  std::array<IsnSums, kMaxPaddedPoints> sums;
};

// One network's latest cells, by the nine inputs around each: boards a few moves apart have most of
// them in common.
class IsnMemory {
 public:
  struct Entry {
    uint64_t key = 0;
    IsnCell cell;
  };

  Entry &entry(uint64_t key) { return entries_[key * 0x9e3779b97f4a7c15u >> (64 - kBits)]; }

  // For cells that are put back.
  std::vector<IsnCell> &aside() { return aside_; }

 private:
  static constexpr int kBits = 10;

  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
  std::vector<IsnCell> aside_;
};

// What a gradient needs of an evaluation, for each padded point.
struct IsnTrace {
  std::vector<uint8_t> inputs;
  std::vector<IsnHiddenUnits> hidden;
  std::vector<IsnSums> sums;
};

inline float bounded_by(float limit, float x) {
  return x > limit ? limit : x < -limit ? -limit : x;
}
inline Four bounded_by(float limit, Four x) {
  const Four all = limit - Four{};
  const Four below = x > all ? all : x;
  return below < -all ? -all : below;
}

// tanh, to 7e-6: Lambert's continued fraction. The same on every machine, and without branches.
template <typename Number>
inline Number fast_tanh(Number x) {
  const Number bounded = bounded_by(6.297f, x), square = bounded * bounded;
  const Number above =
      bounded *
      (34459425.0f + square * (4729725.0f + square * (135135.0f + square * (990.0f + square))));
  return above /
         (34459425.0f +
          square * (16216200.0f + square * (945945.0f + square * (13860.0f + square * 45.0f))));
}
template <typename Number>
inline Number fast_sigmoid(Number x) {
  return 0.5f + 0.5f * fast_tanh(0.5f * x);
}

class Isn {
 public:
  // The numbers of IsnKernels, kIsnKernelNumbers of them.
  Isn(int size, const float *kernels);

  int size() const { return size_; }
  int width() const { return width_; }
  int padded(int point) const { return padded_[point]; }

  // Inputs with all points empty.
  IsnInputs empty_inputs() const;

  void evaluate(const IsnInputs &inputs, IsnState &state) const;

  // Changes an evaluation to that of other inputs.
  void update(const IsnInputs &inputs, IsnState &state, IsnMemory &memory) const;

  // Calls visit(padded point, sums) for all points whose sums may be others with inputs that the
  // caller has changed at some points; the evaluation, but for its inputs, stays what it is.
  template <typename Visit>
  void try_inputs(const PaddedSet &changed, IsnState &state, IsnMemory &memory, Visit visit) const {
    const PaddedSet cells = grown(changed);
    std::vector<IsnCell> &aside = memory.aside();
    aside.clear();
    for_each(cells, [&](int at) {
      aside.push_back(state.cells[at]);
      recall_cell(at, state, memory);
    });
    for_each(grown(cells), [&](int at) { visit(at, sums_of(at, state)); });
    auto before = aside.begin();
    for_each(cells, [&](int at) { state.cells[at] = *before++; });
  }

  // The points that have other inputs.
  PaddedSet difference(const IsnInputs &a, const IsnInputs &b) const;

  IsnTrace trace(const IsnState &state) const;

  // Adds how a loss changes with the kernels, given how it changes with the sums; by padded points.
  void add_gradient(const IsnTrace &trace, const std::array<IsnSums, kMaxPaddedPoints> &errors,
                    IsnKernels<double> &gradient) const;

  // Calls visit(padded point) for each of a set, in ascending order.
  template <typename Visit>
  void for_each(const PaddedSet &set, Visit visit) const {
    for (int row = 0; row < width_; ++row)
      for (uint32_t word = set[row]; word != 0; word &= word - 1)
        visit(row * width_ + __builtin_ctz(word));
  }

 private:
  // Where hidden units add the same numbers, but for the sign, and which units do so.
  struct Pattern {
    struct Term {
      int unit;
      IsnAllSums weights;
    };
    std::array<int8_t, kIsnTaps> signs;  // 1, −1 or 0
    std::vector<Term> terms;
  };

  // What a tap takes of the patterns.
  struct PatternsOfTap {
    std::vector<int> plus, minus;
  };

  void find_patterns(const IsnKernels<float> &kernels);
  PaddedSet grown(const PaddedSet &set) const;
  void recall_cell(int at, IsnState &state, IsnMemory &memory) const;
  void compute_cell(const IsnInputs &inputs, int at, IsnCell &cell) const;
  IsnSums sums_of(int at, const IsnState &state) const;

  int size_, width_;
  std::array<std::array<IsnHiddenUnits, kIsnInputs>, kIsnTaps> to_hidden_;
  std::array<std::array<IsnHiddenUnits, kIsnOutputs>, kIsnTaps> from_hidden_;
  // by input, and by the tap of the point that adds it
  std::array<std::array<IsnAllSums, kIsnTaps>, kIsnInputs> shortcut_;
  std::vector<Pattern> patterns_;
  std::array<PatternsOfTap, kIsnTaps> of_taps_;
  std::array<int, kIsnTaps> steps_;
  std::array<int16_t, kMaxPoints> padded_;
};

}  // namespace golois
