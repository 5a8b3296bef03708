#include "search/root_policy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace golois {

namespace {

void normalise(std::vector<double> &numbers) {
  const double total = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  for (double &number : numbers) number /= total;
}

// Marsaglia's polar method.
double normal(Rng &rng) {
  while (true) {
    const double x = 2 * rng.uniform() - 1, y = 2 * rng.uniform() - 1, radius = x * x + y * y;
    if (radius > 0 && radius < 1) return x * std::sqrt(-2 * std::log(radius) / radius);
  }
}

// The logarithm of a number from the gamma distribution, since those of small shapes are often too
// small for a double. Source: Marsaglia and Tsang, "A simple method for generating gamma
// variables", 2000.
double log_gamma_variable(double shape, Rng &rng) {
  if (shape < 1) return log_gamma_variable(shape + 1, rng) + std::log(rng.uniform()) / shape;
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(rng), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
  }
}

}  // namespace

std::vector<double> dirichlet_noise(int size, double concentration, Rng &rng) {
  std::vector<double> noise(size);
  for (double &number : noise) number = log_gamma_variable(concentration / size, rng);
  const double greatest = *std::max_element(noise.begin(), noise.end());
  for (double &number : noise) number = std::exp(number - greatest);
  normalise(noise);
  return noise;
}

void shape_root_policy(std::vector<double> &priors, const RootPolicyOptions &options, Rng rng) {
  if (options.temperature != 1) {
    const double greatest = *std::max_element(priors.begin(), priors.end());
    for (double &prior : priors) prior = std::pow(prior / greatest, 1 / options.temperature);
    normalise(priors);
  }
  if (options.noise == 0) return;
  const std::vector<double> noise =
      dirichlet_noise(static_cast<int>(priors.size()), options.noise_concentration, rng);
  for (std::size_t i = 0; i < priors.size(); ++i)
    priors[i] += options.noise * (noise[i] - priors[i]);
}

}  // namespace golois
