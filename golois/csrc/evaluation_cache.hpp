// Evaluations, keyed by the network's input. The table has a fixed size: a new evaluation replaces an older one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "point.hpp"

namespace golois {

struct Evaluation {
  std::array<float, kMaxPoints> policy;  // as the network gave it
  float value_white;
};

class EvaluationCache {
 public:
  // Takes about 1.5 kB a position, as they come; 0 positions: it keeps nothing.
  explicit EvaluationCache(int num_positions);

  // The evaluation stored under a key, or nullptr; valid until the next store().
  const Evaluation *find(uint64_t key) const;

  void store(uint64_t key, const float *policy, float value_white);

 private:
  static constexpr uint64_t kNoKey = 0;

  std::vector<uint64_t> keys_;
  std::unique_ptr<Evaluation[]> evaluations_;
};

}  // namespace golois
