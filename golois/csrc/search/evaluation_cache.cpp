#include "search/evaluation_cache.hpp"

#include <algorithm>

namespace golois {

// The numbers start uninitialised, so that memory is used only for those that are stored.
EvaluationCache::EvaluationCache(int num_positions, int policy_size)
    : policy_size_(policy_size),
      keys_(num_positions, kNoKey),
      numbers_(new float[num_positions * (policy_size_ + 1)]) {}

std::optional<Evaluation> EvaluationCache::find(uint64_t key) const {
  if (keys_.empty() || key == kNoKey) return std::nullopt;
  const std::size_t place = key % keys_.size();
  if (keys_[place] != key) return std::nullopt;
  return Evaluation{row(place), row(place)[policy_size_]};
}

void EvaluationCache::store(uint64_t key, const float *policy, float value_white) {
  if (keys_.empty()) return;
  const std::size_t place = key % keys_.size();
  keys_[place] = key;
  *std::copy_n(policy, policy_size_, row(place)) = value_white;
}

}  // namespace golois
