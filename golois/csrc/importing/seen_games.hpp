// Which games have been seen, under any symmetry of the board: 11 to 22 bytes per game.
#pragma once

#include <cstdint>
#include <vector>

#include "records/recorded_game.hpp"

namespace golois {

// A hash of the moves and their colours that is the same under the eight symmetries; never 0. Komi,
// result and values don't count, nor does the order of the first moves without a label, such as
// set-up stones. Two different games out of a million share a key with a chance of 1 to 10^7.
uint64_t symmetric_key(const std::vector<RecordedMove> &moves);

// A set of keys; open addressing, since a node for each of a million games would take five times
// the memory.
class KeySet {
 public:
  bool contains(uint64_t key) const { return slots_[slot_of(key)] == key; }
  void insert(uint64_t key);

 private:
  size_t slot_of(uint64_t key) const;
  void grow();

  // 0 where empty; a power of two of them
  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1024);
  size_t num_keys_ = 0;
};

}  // namespace golois
