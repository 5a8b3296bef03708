// Training a chain of inverted bottlenecks: what the middle of a MobileNet or a mixnet computes of
// a batch, and its gradient.
//
// A block computes x + gate(norm3(act(norm2(act(norm1(x w1)) * wd)) w2)): 1 × 1 to `filters`
// channels, 3 × 3 on each of them and perhaps 5 × 5 beside it, 1 × 1 back to `trunk`, each
// normalised over the batch; act is ReLU or swish, and perhaps there is a gate (gates.hpp). A
// library computes the layers one by one, and each reads and writes the whole batch; here a pass
// between two normalizations reads and writes it once, and keeps a position in the nearest caches
// meanwhile.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/instruction_sets.hpp"

namespace golois {

// From the slowest to the fastest.
enum class Instructions : int32_t { kPlain, kAvx2, kAvx512, kAvx512Bf16, kAmx };

// The fastest that this processor and this build have, of at most those named.
Instructions best_instructions(Instructions most);

struct BottleneckOptions {
  float epsilon;       // of the normalizations
  bool half;           // products and what is kept in bfloat16
  Instructions most;   // don't use later ones
  int32_t num_threads;
};

// Weights of a block, and gradients, in this order: w1 [trunk, filters], γ1, β1, wd [9, filters]
// and perhaps [25, filters], γ2, β2, w2 [wide, trunk], γ3, β3, and those of a gate.
// Statistics of a block: mean and variance of the three normalizations over the batch.
class Bottlenecks {
 public:
  virtual ~Bottlenecks() = default;

  // x and out are [n, points, trunk].
  virtual void forward(int64_t n, const float *x, const float *weights, float *out,
                       float *statistics) = 0;

  // Of the last forward pass: from the gradient of its output those of its input and of its
  // weights.
  virtual void backward(const float *gradient, float *input_gradient, float *weight_gradients) = 0;
};

// Throws Error where channels are not a multiple of 16, for more than two sizes of kernels, or
// where the compiler has no vectors.
std::unique_ptr<Bottlenecks> make_bottlenecks(const BottleneckShape &shape,
                                              const BottleneckOptions &options);

}  // namespace golois
