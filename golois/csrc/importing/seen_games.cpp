#include "importing/seen_games.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "go/symmetry.hpp"
#include "kit/rng.hpp"

namespace golois {

uint64_t symmetric_key(const std::vector<RecordedMove> &moves) {
  constexpr int kPointBits = 9;
  const SymmetryTable &to = symmetries(kMaxSize);
  std::array<uint64_t, kNumSymmetries> keys{};
  bool is_set_up = true;
  for (const RecordedMove &move : moves) {
    is_set_up = is_set_up && move.is_unlabelled;
    for (int s = 0; s < kNumSymmetries; ++s) {
      const auto stone = static_cast<uint64_t>(move.colour << kPointBits | to[s][move.point]);
      keys[s] = is_set_up ? keys[s] + mix64(stone) : mix64(keys[s] + stone);
    }
  }
  return std::max<uint64_t>(1, *std::min_element(keys.begin(), keys.end()));
}

void KeySet::insert(uint64_t key) {
  uint64_t &slot = slots_[slot_of(key)];
  num_keys_ += slot == 0;
  slot = key;
  if (4 * num_keys_ > 3 * slots_.size()) grow();
}

// Where the key is, or where it would go. The smallest of eight hashes is uneven in its high bits
// only.
size_t KeySet::slot_of(uint64_t key) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = key & mask;
  while (slots_[slot] != 0 && slots_[slot] != key) slot = (slot + 1) & mask;
  return slot;
}

void KeySet::grow() {
  const std::vector<uint64_t> old = std::exchange(slots_, std::vector<uint64_t>(2 * slots_.size()));
  for (uint64_t key : old)
    if (key != 0) slots_[slot_of(key)] = key;
}

}  // namespace golois
