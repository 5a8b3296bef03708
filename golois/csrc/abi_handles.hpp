// What several parts of the C surface use: what the opaque handles hold, and how arguments are checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "error.hpp"
#include "game.hpp"
#include "position.hpp"
#include "record.hpp"

struct golois_board {
  golois::Position position;
};

struct golois_packed_file {
  golois::PackedFile file;
};

struct golois_game {
  std::unique_ptr<golois::Game> game;
};

namespace golois {

// A board size; throws Error for one out of range.
inline int require_size(int32_t size) {
  if (size < kMinSize || size > kMaxSize)
    throw Error("a board's size must be from 2 to 19, not " + std::to_string(size));
  return size;
}

// One element a point: 1 and 2 where the point is in a colour's set, else 0.
inline void write_owners(int num_points, const PointSet &black, const PointSet &white, uint8_t *owners) {
  std::fill_n(owners, num_points, kEmpty);
  black.for_each([&](int p) { owners[p] = kBlack; });
  white.for_each([&](int p) { owners[p] = kWhite; });
}

}  // namespace golois
