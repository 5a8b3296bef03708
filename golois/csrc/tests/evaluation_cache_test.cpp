#include "../evaluation_cache.hpp"

#include "check.hpp"

using namespace golois;

TEST(a_cache_finds_what_was_stored_last_in_its_place) {
  EvaluationCache cache(4);
  std::array<float, kMaxPoints> policy{};
  for (uint64_t key = 1; key <= 8; ++key) {
    policy[360] = static_cast<float>(key);
    cache.store(key, policy.data(), 0.5f);
    CHECK(cache.find(key) != nullptr && cache.find(key)->policy[360] == key && cache.find(key)->value_white == 0.5f);
  }
  for (uint64_t key = 1; key <= 4; ++key) CHECK(cache.find(key) == nullptr && cache.find(key + 4) != nullptr);
}

TEST(a_cache_of_no_positions_keeps_nothing) {
  EvaluationCache cache(0);
  const std::array<float, kMaxPoints> policy{};
  cache.store(1, policy.data(), 1.0f);
  CHECK(cache.find(1) == nullptr);
}
