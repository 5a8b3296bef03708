// What several parts of the C surface use: what the opaque handles hold, and how arguments are
// checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "abi/golois.h"
#include "games/game.hpp"
#include "go/position.hpp"
#include "kit/error.hpp"
#include "records/record.hpp"
#include "search/tree.hpp"

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

inline SearchOptions search_options(const golois_search_options &options) {
  const PuctOptions puct{options.c_puct,        options.c_puct_log,         options.c_puct_base,
                         options.fpu_reduction, options.root_fpu_reduction, options.virtual_loss};
  const RootPolicyOptions root_policy{options.root_policy_temperature, options.root_noise,
                                      options.root_noise_concentration};
  return {puct, root_policy, options.cache_positions, options.random_symmetry, options.seed};
}

inline RaceOptions race_options(const golois_race_options &options) {
  return {options.num_considered, options.c_visit, options.c_scale};
}

// One element a point: 1 and 2 where the point is in a colour's set, else 0.
inline void write_owners(int num_points, const PointSet &black, const PointSet &white,
                         uint8_t *owners) {
  std::fill_n(owners, num_points, kEmpty);
  black.for_each([&](int p) { owners[p] = kBlack; });
  white.for_each([&](int p) { owners[p] = kWhite; });
}

}  // namespace golois
