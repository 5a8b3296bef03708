#include "records/targets.hpp"

#include <algorithm>
#include <string>

#include "go/symmetry.hpp"
#include "kit/error.hpp"

namespace golois {

const uint16_t PackedTarget::kNone[kHeadWords] = {0, kNoTargetValue,
                                                  static_cast<uint16_t>(kNoLead)};

uint16_t to_share(double share) {
  return static_cast<uint16_t>(std::clamp(share, 0.0, 1.0) * kWholeShare + 0.5);
}

void append_target(const Target &target, std::vector<uint16_t> &words) {
  words.push_back(static_cast<uint16_t>(target.moves.size()));
  words.push_back(target.value);
  words.push_back(static_cast<uint16_t>(target.lead_tenths));
  for (const MoveShare &move : target.moves) {
    words.push_back(move.point);
    words.push_back(move.share);
  }
}

std::vector<Target> read_targets(const uint16_t *words, size_t num_words) {
  std::vector<Target> targets;
  for (size_t at = 0; at < num_words;) {
    const PackedTarget packed(words + at);
    const size_t available = num_words - at;
    if (available < PackedTarget::kHeadWords || packed.num_words() > available)
      throw Error("a target is cut short at word " + std::to_string(at));
    Target target;
    target.value = packed.value();
    target.lead_tenths = packed.lead_tenths();
    for (size_t i = 0; i < packed.num_moves(); ++i) {
      target.moves.push_back(packed.move(i));
      if (target.moves.back().point > kPass19)
        throw Error("points in a target must be up to 361, not " +
                    std::to_string(target.moves.back().point));
    }
    targets.push_back(std::move(target));
    at += packed.num_words();
  }
  return targets;
}

bool write_policy(const PackedTarget &target, const GameType &type, int symmetry, float *policy) {
  int64_t sum = 0;
  for (size_t i = 0; i < target.num_moves(); ++i)
    if (type.policy_index(target.move(i).point) >= 0) sum += target.move(i).share;
  if (sum == 0) return false;
  std::fill_n(policy, type.policy_size(), 0.0f);
  const auto &to = symmetries(type.size)[symmetry];
  for (size_t i = 0; i < target.num_moves(); ++i) {
    const int index = type.policy_index(target.move(i).point);
    if (index >= 0)
      policy[to[index]] += static_cast<float>(target.move(i).share) / static_cast<float>(sum);
  }
  return true;
}

}  // namespace golois
