// What the points of a board are worth to a player under a family of scorings, and the seven
// outputs that say so.
//
// A captured stone counts `captured`, a stone that stays `stone`, an empty point of territory 1.
// Blair 2009 has the numbers in Tables I to IV; its White is the player here.
#pragma once

#include <array>
#include <cstdint>

namespace golois {

enum class PointState : uint8_t { kEmpty, kOwn, kEnemy };

constexpr int kNumPointOutputs = 7;

// The paper's Z+, Zo, Z•, A+o, A+•, Ao and A•.
enum PointOutput { kZEmpty, kZOwn, kZEnemy, kAEye, kAEnemyEye, kAOwn, kAEnemy };

// The outputs that a state has: two or three of the seven.
struct UsedOutputs {
  std::array<PointOutput, 3> of;
  int count;
};
constexpr UsedOutputs used_outputs(PointState state) {
  if (state == PointState::kOwn) return {{kZOwn, kAOwn, kAOwn}, 2};
  if (state == PointState::kEnemy) return {{kZEnemy, kAEnemy, kAEnemy}, 2};
  return {{kZEmpty, kAEye, kAEnemyEye}, 3};
}

// The rewards for stone = 1 and stone = 0; Table I is linear in `stone`, so any other is between
// them.
struct PointRewards {
  float with_stones, without_stones;

  float at(float stone) const { return stone * with_stones + (1 - stone) * without_stones; }
};

// Table III, its upper half: what outputs promise.
PointRewards rewards_of(PointState state, const float *outputs, float captured);

// Table III, its lower half, within 0 … 1: writes what the outputs of this state should have been;
// the others stay.
void write_targets(PointState state, const PointRewards &rewards, float captured, float *targets);

// What a point is worth when the game is over: its state, and whose territory it is: 1 the
// player's, −1 the enemy's, 0 nobody's.
constexpr PointRewards final_rewards(PointState state, int territory) {
  if (state == PointState::kOwn) return {1, 0};
  if (state == PointState::kEnemy) return {-1, 0};
  return {static_cast<float>(territory), static_cast<float>(territory)};
}

}  // namespace golois
