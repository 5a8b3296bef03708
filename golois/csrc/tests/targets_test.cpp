#include "records/targets.hpp"

#include <cmath>
#include <numeric>

#include "check.hpp"
#include "go/symmetry.hpp"
#include "kit/error.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

std::vector<uint16_t> words_of(const Target &target) {
  std::vector<uint16_t> words;
  append_target(target, words);
  return words;
}

}  // namespace

TEST(a_policy_is_turned_and_sums_to_one_without_the_pass) {
  const std::vector<uint16_t> words =
      words_of({kNoTargetValue, kNoLead, {{5, 3000}, {kPass19, 2000}, {300, 1000}}});
  for (int symmetry = 0; symmetry < kNumSymmetries; ++symmetry) {
    std::vector<float> policy(kMaxPoints, 9.0f);
    CHECK(write_policy(PackedTarget(words.data()), {}, symmetry, policy.data()));
    CHECK(policy[symmetries(kMaxSize)[symmetry][5]] == 0.75f &&
          policy[symmetries(kMaxSize)[symmetry][300]] == 0.25f);
    CHECK(std::accumulate(policy.begin(), policy.end(), 0.0f) == 1.0f);
  }
}

TEST(a_pass_alone_is_no_policy) {
  const std::vector<uint16_t> words = words_of({kNoTargetValue, kNoLead, {{kPass19, 60000}}});
  std::vector<float> policy(kMaxPoints, 9.0f);
  CHECK(!write_policy(PackedTarget(words.data()), {}, 0, policy.data()) && policy[0] == 9.0f);
}

TEST(a_pass_is_last_in_a_policy_that_has_one) {
  const GameType type{GameKind::kGo, 5, true, false};
  const std::vector<uint16_t> words =
      words_of({kNoTargetValue, kNoLead, {{kPass19, 3000}, {4, 1000}, {25, 5000}}});
  for (int symmetry = 0; symmetry < kNumSymmetries; ++symmetry) {
    std::vector<float> policy(type.policy_size(), 9.0f);
    CHECK(write_policy(PackedTarget(words.data()), type, symmetry, policy.data()));
    CHECK(policy[25] == 0.75f && policy[symmetries(5)[symmetry][4]] == 0.25f);
    CHECK(std::accumulate(policy.begin(), policy.end(), 0.0f) == 1.0f);
  }
}

TEST(targets_that_are_not_whole_are_refused) {
  std::vector<uint16_t> words = words_of({100, -35, {{5, 3000}, {6, 2000}}});
  CHECK(read_targets(words.data(), words.size())[0].lead_tenths == -35);
  for (size_t size = 1; size < words.size(); ++size)
    CHECK(throws<Error>("cut short", [&] { read_targets(words.data(), size); }));
  words[PackedTarget::kHeadWords] = kPass19 + 1;
  CHECK(throws<Error>("up to 361", [&] { read_targets(words.data(), words.size()); }));
}

TEST(shares_are_rounded) {
  CHECK(to_share(0) == 0 && to_share(1) == kWholeShare && to_share(2) == kWholeShare &&
        to_share(0.5) == kWholeShare / 2);
}
