#include "search/root_policy.hpp"

#include <cmath>
#include <numeric>

#include "check.hpp"

using namespace golois;

TEST(a_temperature_flattens_the_priors) {
  std::vector<double> priors{0.64, 0.32, 0.04, 0.0};
  shape_root_policy(priors, {2.0, 0.0, 1.0}, Rng(1));
  const double total = 0.8 + std::sqrt(0.32) + 0.2;
  CHECK(std::abs(priors[0] - 0.8 / total) < 1e-12 && std::abs(priors[2] - 0.2 / total) < 1e-12 &&
        priors[3] == 0);
}

TEST(noise_takes_its_share) {
  std::vector<double> priors{1.0, 0.0, 0.0};
  shape_root_policy(priors, {1.0, 0.25, 10.83}, Rng(2));
  CHECK(priors[0] > 0.75 && priors[1] > 0 && priors[2] > 0);
  CHECK(std::abs(std::accumulate(priors.begin(), priors.end(), 0.0) - 1) < 1e-12);
}

TEST(noise_has_the_mean_and_variance_of_its_distribution) {
  Rng rng(3);
  for (const auto &[size, concentration] :
       {std::pair(300, 10.83), std::pair(4, 10.83), std::pair(2, 0.1)}) {
    const int num_draws = 40000 / size;
    double sum = 0, sum_squares = 0;
    for (int i = 0; i < num_draws; ++i)
      for (double number : dirichlet_noise(size, concentration, rng)) {
        sum += number;
        sum_squares += number * number;
      }
    const double mean = 1.0 / size, variance = mean * (1 - mean) / (concentration + 1);
    CHECK(std::abs(sum - num_draws) < 1e-6 * num_draws);
    CHECK(std::abs(sum_squares / (num_draws * size) - mean * mean - variance) < 0.1 * variance);
  }
}
