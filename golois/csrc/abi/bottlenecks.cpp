// The C surface of Bottlenecks.
#include "abi/golois.h"
#include "abi/status.hpp"
#include "kernels/bottlenecks.hpp"

struct golois_bottlenecks {
  std::unique_ptr<golois::Bottlenecks> chain;
};

int32_t golois_best_instructions(int32_t most) {
  return static_cast<int32_t>(golois::best_instructions(static_cast<golois::Instructions>(most)));
}

golois_bottlenecks *golois_bottlenecks_create(const golois_bottleneck_shape *shape, float epsilon,
                                              bool half, int32_t most, int32_t num_threads) {
  golois_bottlenecks *handle = nullptr;
  const int32_t status = golois::guarded([&] {
    const auto [blocks, size, trunk, filters, kernels, swish, squeezed] = *shape;
    const golois::BottleneckOptions options{epsilon, half, static_cast<golois::Instructions>(most),
                                            num_threads};
    handle = new golois_bottlenecks{golois::make_bottlenecks(
        {blocks, size, trunk, filters, kernels, swish, squeezed}, options)};
  });
  return status == golois::kOk ? handle : nullptr;
}

void golois_bottlenecks_destroy(golois_bottlenecks *bottlenecks) { delete bottlenecks; }

int32_t golois_bottlenecks_forward(golois_bottlenecks *bottlenecks, int64_t n, const float *x,
                                   const float *weights, float *out, float *statistics) {
  return golois::guarded([&] { bottlenecks->chain->forward(n, x, weights, out, statistics); });
}

int32_t golois_bottlenecks_backward(golois_bottlenecks *bottlenecks, const float *gradient,
                                    float *input_gradient, float *weight_gradients) {
  return golois::guarded(
      [&] { bottlenecks->chain->backward(gradient, input_gradient, weight_gradients); });
}
