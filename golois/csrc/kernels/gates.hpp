// Squeeze-and-excitation at the end of a bottleneck: the channels of a position are multiplied by
// sigmoid(swish(mean w1) w2) of their means over its points.
//
// It stands behind a normalization of z, so it makes one for each position: z · scale · gate +
// shift · gate. The same holds backward. So the passes know nothing of it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/norm.hpp"

namespace golois {

struct GateShape {
  int channels, hidden, points;
};

class Gates {
 public:
  Gates() = default;
  // Of positions whose sums of z and z² over their points are `sums`, [positions, 2, channels]. The
  // weights are w1 [channels, hidden] and w2 [hidden, channels]; they and what `norm` points to
  // must stay.
  Gates(const GateShape &shape, const float *weights, const Norm &norm, const Buffer<float> &sums);

  // The normalization and the gates of a position.
  Norm norm(int64_t position) const;

  // From sums of g, the gradient behind the gates, and of g times what was normalised, of each
  // position: those of the gradient before the gates, over the batch. Writes the gradients of the
  // weights.
  std::vector<double> backward(const Buffer<float> &sums, float *weight_gradients);

  // From what the gradient before the gates becomes before the normalization: what g becomes, of
  // each position, as `view` takes it.
  std::vector<Buffer<float>> gradients(const NormGradient &before) const;

 private:
  struct Activations {
    // [channels], [hidden]: before swish, and what swish multiplies by
    std::vector<double> squeezed, hidden, sigmoids;
  };
  Activations activations(int64_t position) const;
  int64_t at(int64_t position) const { return position * shape_.channels; }

  GateShape shape_{};
  const float *w1_ = nullptr, *w2_ = nullptr;
  Norm norm_{};
  // [positions, channels]: means of z, gates, the normalization with them, and a gradient for each
  // point of the board.
  Buffer<float> means_, gates_, scales_, shifts_, even_gradients_;
};

}  // namespace golois
