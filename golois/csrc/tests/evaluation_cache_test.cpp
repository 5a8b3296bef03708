#include "search/evaluation_cache.hpp"

#include <array>

#include "check.hpp"

using namespace golois;

TEST(a_cache_finds_what_was_stored_last_in_its_place) {
  EvaluationCache cache(4, 26);
  std::array<float, 26> policy{};
  for (uint64_t key = 1; key <= 8; ++key) {
    policy[25] = static_cast<float>(key);
    cache.store(key, policy.data(), 0.5f);
    CHECK(cache.find(key) && cache.find(key)->policy[25] == key &&
          cache.find(key)->value_white == 0.5f);
  }
  for (uint64_t key = 1; key <= 4; ++key) CHECK(!cache.find(key) && cache.find(key + 4));
}

TEST(a_cache_of_no_positions_keeps_nothing) {
  EvaluationCache cache(0, 26);
  const std::array<float, 26> policy{};
  cache.store(1, policy.data(), 1.0f);
  CHECK(!cache.find(1));
}
