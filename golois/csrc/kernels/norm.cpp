#include "kernels/norm.hpp"

#include <algorithm>
#include <cmath>

namespace golois {

BatchNorm::BatchNorm(int n, const float *gamma, const float *beta, const std::vector<double> &sums,
                     double count, float epsilon, float *statistics)
    : n_(n), numbers_(4 * n) {
  for (int c = 0; c < n; ++c) {
    const double mean = sums[c] / count,
                 variance = std::max(0.0, sums[n + c] / count - mean * mean);
    const double inverse = 1 / std::sqrt(variance + epsilon), scale = gamma[c] * inverse;
    numbers_[c] = scale, numbers_[n + c] = beta[c] - mean * scale, numbers_[2 * n + c] = mean,
    numbers_[3 * n + c] = inverse;
    statistics[c] = mean, statistics[n + c] = variance;
  }
}

Norm BatchNorm::norm() const {
  const float *p = numbers_.data();
  return {p, p + n_, p + 2 * n_, p + 3 * n_};
}

Buffer<float> BatchNorm::gradient(const std::vector<double> &sums, double count) const {
  Buffer<float> numbers(3 * n_);
  const Norm own = norm();
  for (int c = 0; c < n_; ++c) {
    const double mean = sums[c] / count,
                 slope = -own.scale[c] * sums[n_ + c] / count * own.inverse[c];
    numbers[c] = own.scale[c], numbers[n_ + c] = slope,
    numbers[2 * n_ + c] = -own.scale[c] * mean - slope * own.mean[c];
  }
  return numbers;
}

NormGradient view(const Buffer<float> &numbers) {
  const size_t n = numbers.size() / 3;
  return {numbers.data(), numbers.data() + n, numbers.data() + 2 * n};
}

}  // namespace golois
