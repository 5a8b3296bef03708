// Which game a packed file holds, and on what board.
#pragma once

#include <cstdint>

#include "go/point.hpp"

namespace golois {

enum class GameKind : uint8_t { kGo, kNoGo, kHex };

struct GameType {
  GameKind kind = GameKind::kGo;
  int size = kMaxSize;
  // Go: the policy has a pass, and a position before a pass is one to train on
  bool has_pass = false;
  bool has_swap = false;  // Hex

  int num_points() const { return size * size; }
  int policy_size() const { return num_points() + has_pass; }

  // The number in a policy of a point as packed files hold it, where a pass is kPass19; -1 for what
  // is in no policy.
  int policy_index(int point) const {
    if (point < num_points()) return point;
    return has_pass && point == kPass19 ? num_points() : -1;
  }
};

}  // namespace golois
