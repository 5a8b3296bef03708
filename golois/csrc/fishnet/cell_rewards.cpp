#include "fishnet/cell_rewards.hpp"

#include <algorithm>

namespace golois {

PointRewards rewards_of(PointState state, const float *outputs, float captured) {
  switch (state) {
    case PointState::kOwn:
      return {(2 + captured) * outputs[kZOwn] - (1 + captured),
              captured * (outputs[kZOwn] - 1) - outputs[kAOwn]};
    case PointState::kEnemy:
      return {(2 + captured) * outputs[kZEnemy] - 1,
              captured * outputs[kZEnemy] + outputs[kAEnemy]};
    default:
      return {2 * outputs[kZEmpty] - 1, outputs[kAEye] - outputs[kAEnemyEye]};
  }
}

void write_targets(PointState state, const PointRewards &rewards, float captured, float *targets) {
  const auto share = [](float target) { return std::clamp(target, 0.0f, 1.0f); };
  switch (state) {
    case PointState::kOwn:
      targets[kZOwn] = share((1 + captured + rewards.with_stones) / (2 + captured));
      targets[kAOwn] = share(captured * (targets[kZOwn] - 1) - rewards.without_stones);
      break;
    case PointState::kEnemy:
      targets[kZEnemy] = share((1 + rewards.with_stones) / (2 + captured));
      targets[kAEnemy] = share(rewards.without_stones - captured * targets[kZEnemy]);
      break;
    default:
      targets[kZEmpty] = share((1 + rewards.with_stones) / 2);
      targets[kAEye] = share(rewards.without_stones);
      targets[kAEnemyEye] = share(-rewards.without_stones);
  }
}

}  // namespace golois
