// Blair's Internal Symmetry Network on one board: one of 14 inputs a point, 12 hidden units with tanh, 7 sums, shortcut.
//
// It takes kernels whole; golois/irreps.py says which of their numbers are one weight. Of a point only the outputs are computed that its
// state has. An evaluation is changed by computing anew what another board differs in, which gives the same numbers as a whole one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cell_rewards.hpp"
#include "point.hpp"

namespace golois {

constexpr int kIsnInputs = 14, kIsnHidden = 12, kIsnOutputs = kNumPointOutputs, kIsnTaps = 9;

// Inputs 0 … 5 are classes of the player's chains, 6 … 11 of the enemy's.
constexpr uint8_t kInputEnemy = 6, kInputEmpty = 12, kInputOffBoard = 13;
constexpr PointState state_of_input(uint8_t input) {
  return input >= kInputEmpty ? PointState::kEmpty : input >= kInputEnemy ? PointState::kEnemy : PointState::kOwn;
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

// Of a point, in the order of used_outputs(); what is left is 0.
constexpr int kIsnLanes = 4;
using IsnSums = std::array<float, kIsnLanes>;

// An evaluation, by padded points.
struct IsnState {
  IsnInputs inputs;
  std::array<std::array<float, kIsnHidden>, kMaxPaddedPoints> hidden;
  std::array<IsnSums, kMaxPaddedPoints> sums;
};

// tanh, to 7e-6: Lambert's continued fraction. The same on every machine, and without branches.
inline float fast_tanh(float x) {
  const float bounded = x > 6.297f ? 6.297f : x < -6.297f ? -6.297f : x, square = bounded * bounded;
  const float above = bounded * (34459425 + square * (4729725 + square * (135135 + square * (990 + square))));
  return above / (34459425 + square * (16216200 + square * (945945 + square * (13860 + square * 45))));
}
inline float fast_sigmoid(float x) { return 0.5f + 0.5f * fast_tanh(0.5f * x); }

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

  // Changes an evaluation to that of other inputs; returns the points whose sums it has computed anew.
  PaddedSet update(const IsnInputs &inputs, IsnState &state) const;

  // Takes an evaluation back to an earlier one, which update() has changed at these points.
  void restore(const IsnState &earlier, const PaddedSet &changed, IsnState &state) const;

  // Adds how a loss changes with the kernels, given how it changes with the sums; by padded points.
  void add_gradient(const IsnState &state, const std::array<IsnSums, kMaxPaddedPoints> &errors,
                    IsnKernels<double> &gradient) const;

  // Calls visit(padded point) for each of a set, in ascending order.
  template <typename Visit>
  void for_each(const PaddedSet &set, Visit visit) const {
    for (int row = 0; row < width_; ++row)
      for (uint32_t word = set[row]; word != 0; word &= word - 1) visit(row * width_ + __builtin_ctz(word));
  }

 private:
  // Hidden units around a point that have the same weights but for the sign, by how many numbers further on they are.
  struct Term {
    std::array<float, kIsnOutputs> weights;
    std::vector<int> plus, minus;
  };

  // The weights of a point in one state.
  struct OfState {
    std::vector<IsnSums> terms;
    IsnSums inputs[kIsnTaps][kIsnInputs];
  };

  void find_terms();
  PaddedSet grown(const PaddedSet &set) const;
  void compute_hidden(int at, IsnState &state) const;
  void compute_sums(int at, IsnState &state) const;

  int size_, width_;
  IsnKernels<float> kernels_;
  std::array<int, kIsnTaps> steps_;
  std::array<int16_t, kMaxPoints> padded_;
  std::vector<Term> terms_;
  std::array<OfState, 3> of_state_;
};

}  // namespace golois
