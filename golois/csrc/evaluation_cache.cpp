#include "evaluation_cache.hpp"

#include <algorithm>

namespace golois {

// The evaluations start uninitialised, so that memory is used only for those that are stored.
EvaluationCache::EvaluationCache(int num_positions)
    : keys_(num_positions, kNoKey), evaluations_(new Evaluation[num_positions]) {}

const Evaluation *EvaluationCache::find(uint64_t key) const {
  if (keys_.empty() || key == kNoKey) return nullptr;
  const std::size_t place = key % keys_.size();
  return keys_[place] == key ? &evaluations_[place] : nullptr;
}

void EvaluationCache::store(uint64_t key, const float *policy, float value_white) {
  if (keys_.empty()) return;
  const std::size_t place = key % keys_.size();
  keys_[place] = key;
  std::copy_n(policy, kMaxPoints, evaluations_[place].policy.begin());
  evaluations_[place].value_white = value_white;
}

}  // namespace golois
