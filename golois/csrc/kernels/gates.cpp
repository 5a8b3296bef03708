#include "kernels/gates.hpp"

#include <algorithm>
#include <cmath>

namespace golois {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Gates::Gates(const GateShape &shape, const float *weights, const Norm &norm,
             const Buffer<float> &sums)
    : shape_(shape),
      w1_(weights),
      w2_(weights + shape.channels * shape.hidden),
      norm_(norm),
      means_(sums.size() / 2),
      gates_(means_.size()),
      scales_(means_.size()),
      shifts_(means_.size()),
      even_gradients_(means_.size()) {
  const int n = shape_.channels;
  for (int64_t i = 0; i < static_cast<int64_t>(means_.size()) / n; ++i) {
    for (int c = 0; c < n; ++c) means_[at(i) + c] = sums[2 * at(i) + c] / shape_.points;
    const Activations a = activations(i);
    for (int c = 0; c < n; ++c) {
      double sum = 0;
      for (int j = 0; j < shape_.hidden; ++j) sum += a.hidden[j] * a.sigmoids[j] * w2_[j * n + c];
      const double gate = sigmoid(sum);
      gates_[at(i) + c] = gate, scales_[at(i) + c] = norm_.scale[c] * gate,
                     shifts_[at(i) + c] = norm_.shift[c] * gate;
    }
  }
}

Norm Gates::norm(int64_t position) const {
  return {&scales_[at(position)], &shifts_[at(position)], norm_.mean, norm_.inverse};
}

Gates::Activations Gates::activations(int64_t position) const {
  Activations a{std::vector<double>(shape_.channels), std::vector<double>(shape_.hidden),
                std::vector<double>(shape_.hidden)};
  for (int c = 0; c < shape_.channels; ++c) {
    a.squeezed[c] = means_[at(position) + c] * norm_.scale[c] + norm_.shift[c];
    for (int j = 0; j < shape_.hidden; ++j)
      a.hidden[j] += a.squeezed[c] * w1_[c * shape_.hidden + j];
  }
  for (int j = 0; j < shape_.hidden; ++j) a.sigmoids[j] = sigmoid(a.hidden[j]);
  return a;
}

std::vector<double> Gates::backward(const Buffer<float> &sums, float *weight_gradients) {
  const int n = shape_.channels, hidden = shape_.hidden;
  std::vector<double> total(2 * n), dw1(n * hidden), dw2(hidden * n), dsum(n), dhidden(hidden);
  for (int64_t i = 0; i < static_cast<int64_t>(means_.size()) / n; ++i) {
    const Activations a = activations(i);
    const float *gates = &gates_[at(i)], *g = &sums[2 * at(i)], *g_normalised = g + n;
    for (int c = 0; c < n; ++c) {
      const double gamma = norm_.scale[c] / norm_.inverse[c],
                   beta = norm_.shift[c] + norm_.mean[c] * norm_.scale[c];
      dsum[c] = (gamma * g_normalised[c] + beta * g[c]) * gates[c] * (1 - gates[c]);
    }
    for (int j = 0; j < hidden; ++j) {
      const double s = a.sigmoids[j], swish = a.hidden[j] * s;
      dhidden[j] = 0;
      for (int c = 0; c < n; ++c)
        dhidden[j] += dsum[c] * w2_[j * n + c], dw2[j * n + c] += swish * dsum[c];
      dhidden[j] *= s + swish * (1 - s);
    }
    for (int c = 0; c < n; ++c) {
      double dmean = 0;
      for (int j = 0; j < hidden; ++j)
        dmean += dhidden[j] * w1_[c * hidden + j],
            dw1[c * hidden + j] += a.squeezed[c] * dhidden[j];
      even_gradients_[at(i) + c] = dmean / shape_.points;
      total[c] += gates[c] * g[c] + dmean;
      total[n + c] += gates[c] * g_normalised[c] +
                      dmean * (means_[at(i) + c] - norm_.mean[c]) * norm_.inverse[c];
    }
  }
  std::copy(dw1.begin(), dw1.end(), weight_gradients);
  std::copy(dw2.begin(), dw2.end(), weight_gradients + dw1.size());
  return total;
}

std::vector<Buffer<float>> Gates::gradients(const NormGradient &before) const {
  const int n = shape_.channels;
  std::vector<Buffer<float>> result(means_.size() / n, Buffer<float>(3 * n));
  for (size_t i = 0; i < result.size(); ++i)
    for (int c = 0; c < n; ++c) {
      result[i][c] = before.scale[c] * gates_[at(i) + c], result[i][n + c] = before.slope[c];
      result[i][2 * n + c] = before.offset[c] + before.scale[c] * even_gradients_[at(i) + c];
    }
  return result;
}

}  // namespace golois
