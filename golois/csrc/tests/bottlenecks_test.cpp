#include "../bottlenecks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "../error.hpp"
#include "../rng.hpp"
#include "check.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

constexpr BottleneckShape kShape{2, 9, 32, 64};  // 81 points: more than kRows, and no multiple of it
constexpr int kBatch = 3;
constexpr float kEpsilon = 1e-3f;

std::vector<float> random(size_t n, float scale, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> numbers(n);
  for (float &x : numbers) x = static_cast<float>((rng.uniform() - 0.5) * scale);
  return numbers;
}

size_t num_inputs() { return static_cast<size_t>(kBatch) * kShape.points() * kShape.trunk; }
size_t num_weights() { return kShape.blocks * (2 * kShape.trunk * kShape.filters + 13 * kShape.filters + 2 * kShape.trunk); }

struct Answers {
  std::vector<float> out, statistics, input_gradient, weight_gradients;
};

Answers answers(const BottleneckOptions &options, const std::vector<float> &x, const std::vector<float> &weights,
                const std::vector<float> &gradient) {
  const auto chain = make_bottlenecks(kShape, options);
  Answers a{std::vector<float>(x.size()), std::vector<float>(kShape.blocks * (4 * kShape.filters + 2 * kShape.trunk)),
            std::vector<float>(x.size()), std::vector<float>(weights.size())};
  chain->forward(kBatch, x.data(), weights.data(), a.out.data(), a.statistics.data());
  chain->backward(gradient.data(), a.input_gradient.data(), a.weight_gradients.data());
  return a;
}

// |a − b| over |b|, of vectors.
double distance(const std::vector<float> &a, const std::vector<float> &b) {
  double difference = 0, length = 0;
  for (size_t i = 0; i < a.size(); ++i) difference += std::pow(double(a[i]) - b[i], 2), length += std::pow(double(b[i]), 2);
  return std::sqrt(difference / length);
}

double largest_distance(const Answers &a, const Answers &b) {
  return std::max({distance(a.out, b.out), distance(a.statistics, b.statistics), distance(a.input_gradient, b.input_gradient),
                   distance(a.weight_gradients, b.weight_gradients)});
}

double product(const std::vector<float> &a, const std::vector<float> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

TEST(bottlenecks_compute_the_same_by_all_instructions_and_threads) {
  const auto x = random(num_inputs(), 2, 1), weights = random(num_weights(), 1, 2), gradient = random(num_inputs(), 1, 3);
  const Answers plain = answers({kEpsilon, false, Instructions::kPlain, 1}, x, weights, gradient);
  for (const Instructions most : {Instructions::kPlain, Instructions::kAvx2, Instructions::kAvx512, Instructions::kAmx})
    for (const int threads : {1, 2, 8}) {
      CHECK(largest_distance(answers({kEpsilon, false, most, threads}, x, weights, gradient), plain) < 1e-4);
      CHECK(largest_distance(answers({kEpsilon, true, most, threads}, x, weights, gradient), plain) < 0.1);
    }
}

TEST(gradients_of_bottlenecks_are_those_of_finite_differences) {
  const auto x = random(num_inputs(), 2, 1), weights = random(num_weights(), 1, 2), gradient = random(num_inputs(), 1, 3);
  const BottleneckOptions options{kEpsilon, false, Instructions::kAmx, 1};
  const Answers here = answers(options, x, weights, gradient);
  const auto dx = random(num_inputs(), 1, 4), dw = random(num_weights(), 1, 5);
  const float step = 2e-3f;
  const auto moved = [&](float by) {
    auto other_x = x, other_weights = weights;
    for (size_t i = 0; i < x.size(); ++i) other_x[i] += by * dx[i];
    for (size_t i = 0; i < weights.size(); ++i) other_weights[i] += by * dw[i];
    return product(answers(options, other_x, other_weights, gradient).out, gradient);
  };
  const double expected = (moved(step) - moved(-step)) / (2 * step);
  const double got = product(here.input_gradient, dx) + product(here.weight_gradients, dw);
  CHECK(std::abs(got - expected) < 0.01 * std::abs(expected));
}

TEST(bottlenecks_refuse_other_channels) {
  CHECK(throws<Error>("multiples of 16", [] { make_bottlenecks({1, 9, 24, 64}, {kEpsilon, false, Instructions::kAmx, 1}); }));
}
