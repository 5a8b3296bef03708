#include "kernels/bottlenecks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "kit/error.hpp"
#include "kit/rng.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

// 81 points: more than kRows, and no multiple of it. 1 and 49: fewer.
constexpr BottleneckShape kMobilenet{2, 9, 32, 64}, kMixnet{2, 9, 32, 32, 2, true, 3},
    kNarrow{2, 9, 16, 48, 1, true, 0}, kTiny{1, 1, 16, 16, 2, true, 0},
    kSmall{2, 7, 16, 32, 2, false, 0};
constexpr int kBatch = 3;
constexpr float kEpsilon = 1e-3f;

std::vector<float> random(size_t n, float scale, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> numbers(n);
  for (float &x : numbers) x = static_cast<float>((rng.uniform() - 0.5) * scale);
  return numbers;
}

size_t num_inputs(const BottleneckShape &s) {
  return static_cast<size_t>(kBatch) * s.points() * s.trunk;
}
size_t num_weights(const BottleneckShape &s) {
  return s.blocks * ((s.trunk + 2 + s.taps()) * s.filters + 2 * s.wide() +
                     (s.wide() + 2 + 2 * s.squeezed) * s.trunk);
}

struct Answers {
  std::vector<float> out, statistics, input_gradient, weight_gradients;
};

Answers answers(const BottleneckShape &shape, const BottleneckOptions &options,
                const std::vector<float> &x, const std::vector<float> &weights,
                const std::vector<float> &gradient) {
  const auto chain = make_bottlenecks(shape, options);
  Answers a{std::vector<float>(x.size()),
            std::vector<float>(shape.blocks * 2 * (shape.filters + shape.wide() + shape.trunk)),
            std::vector<float>(x.size()), std::vector<float>(weights.size())};
  chain->forward(kBatch, x.data(), weights.data(), a.out.data(), a.statistics.data());
  chain->backward(gradient.data(), a.input_gradient.data(), a.weight_gradients.data());
  return a;
}

// |a − b| over |b|, of vectors.
double distance(const std::vector<float> &a, const std::vector<float> &b) {
  double difference = 0, length = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference += std::pow(double(a[i]) - b[i], 2), length += std::pow(double(b[i]), 2);
  return std::sqrt(difference / length);
}

double largest_distance(const Answers &a, const Answers &b) {
  return std::max({distance(a.out, b.out), distance(a.statistics, b.statistics),
                   distance(a.input_gradient, b.input_gradient),
                   distance(a.weight_gradients, b.weight_gradients)});
}

double product(const std::vector<float> &a, const std::vector<float> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TEST(bottlenecks_compute_the_same_by_all_instructions_and_threads) {
  for (const BottleneckShape &shape : {kMobilenet, kMixnet, kNarrow, kTiny, kSmall}) {
    const auto x = random(num_inputs(shape), 2, 1), weights = random(num_weights(shape), 1, 2),
               gradient = random(x.size(), 1, 3);
    const Answers plain =
        answers(shape, {kEpsilon, false, Instructions::kPlain, 1}, x, weights, gradient);
    for (const Instructions most :
         {Instructions::kPlain, Instructions::kAvx2, Instructions::kAvx512,
          Instructions::kAvx512Bf16, Instructions::kAmx})
      for (const int threads : {1, 2, 8}) {
        CHECK(largest_distance(
                  answers(shape, {kEpsilon, false, most, threads}, x, weights, gradient), plain) <
              1e-4);
        CHECK(largest_distance(
                  answers(shape, {kEpsilon, true, most, threads}, x, weights, gradient), plain) <
              0.1);
      }
  }
}

TEST(gradients_of_bottlenecks_are_those_of_finite_differences) {
  const BottleneckOptions options{kEpsilon, false, Instructions::kAmx, 1};
  for (const BottleneckShape &shape : {kMobilenet, kMixnet, kNarrow}) {
    const auto x = random(num_inputs(shape), 2, 1), weights = random(num_weights(shape), 1, 2),
               gradient = random(x.size(), 1, 3);
    const Answers here = answers(shape, options, x, weights, gradient);
    const auto dx = random(x.size(), 1, 4), dw = random(weights.size(), 1, 5);
    const float step = 2e-3f;
    const auto moved = [&](float by) {
      auto other_x = x, other_weights = weights;
      for (size_t i = 0; i < x.size(); ++i) other_x[i] += by * dx[i];
      for (size_t i = 0; i < weights.size(); ++i) other_weights[i] += by * dw[i];
      return product(answers(shape, options, other_x, other_weights, gradient).out, gradient);
    };
    const double expected = (moved(step) - moved(-step)) / (2 * step);
    const double got = product(here.input_gradient, dx) + product(here.weight_gradients, dw);
    CHECK(std::abs(got - expected) < 0.01 * std::abs(expected));
  }
}

TEST(bottlenecks_refuse_other_channels_and_kernels) {
  CHECK(throws<Error>("not 3", [] {
    make_bottlenecks({1, 9, 16, 32, 3}, {kEpsilon, false, Instructions::kAmx, 1});
  }));
  CHECK(throws<Error>("multiples of 16", [] {
    make_bottlenecks({1, 9, 24, 64}, {kEpsilon, false, Instructions::kAmx, 1});
  }));
}
