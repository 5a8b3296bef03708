// Evaluations, keyed by the network's input. The table has a fixed size: a new evaluation replaces
// an older one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace golois {

struct Evaluation {
  const float *policy;  // as the network gave it
  float value_white;
};

class EvaluationCache {
 public:
  // Takes four bytes a number, as positions come; 0 positions: it keeps nothing.
  EvaluationCache(int num_positions, int policy_size);

  // The evaluation stored under a key, if it is still there; valid until the next store().
  std::optional<Evaluation> find(uint64_t key) const;

  void store(uint64_t key, const float *policy, float value_white);

 private:
  static constexpr uint64_t kNoKey = 0;

  float *row(std::size_t place) const { return &numbers_[place * (policy_size_ + 1)]; }

  std::size_t policy_size_;
  std::vector<uint64_t> keys_;
  std::unique_ptr<float[]> numbers_;  // of each position its policy, then its value
};

}  // namespace golois
