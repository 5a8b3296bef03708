// What makes a root's priors differ from the network's policy: a softmax temperature, and noise.
#pragma once

#include <vector>

#include "kit/rng.hpp"

namespace golois {

struct RootPolicyOptions {
  double temperature;          // priors become prior^(1 / temperature), normalised
  double noise;                // share of the noise in the priors, 0 … 1
  double noise_concentration;  // the sum of the parameters of its Dirichlet distribution
};

inline bool changes_priors(const RootPolicyOptions &options) {
  return options.temperature != 1 || options.noise > 0;
}

// Changes the priors of the root's moves, which sum to 1 and do so after it; first by temperature,
// then by noise.
//
// Source: Silver et al. 2017 (noise); Wu 2019 (temperature; parameters of the noise that shrink
// with the number of moves).
void shape_root_policy(std::vector<double> &priors, const RootPolicyOptions &options, Rng rng);

// Numbers of 0 or more that sum to 1, from the symmetric Dirichlet distribution whose parameters
// sum to `concentration`.
std::vector<double> dirichlet_noise(int size, double concentration, Rng &rng);

}  // namespace golois
