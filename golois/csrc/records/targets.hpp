// What a teacher or a search thinks of a training position: shares of the moves, a value and a
// lead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "games/game_type.hpp"

namespace golois {

// A number of 0 … kWholeShare stands for a share, or a chance, of 0 … 1. One more bit is left for
// "none".
constexpr int kWholeShare = 65534;
constexpr uint16_t kNoTargetValue = 65535;
constexpr int16_t kNoLead = INT16_MIN;

struct MoveShare {
  uint16_t point, share;
};

// Empty if there is no policy.
struct Target {
  // All but the largest shares are dropped: what is left says nearly as much.
  static constexpr size_t kMaxMoves = 32;

  uint16_t value = kNoTargetValue;  // P(White wins)
  int16_t lead_tenths = kNoLead;    // White's, in tenths of a point
  std::vector<MoveShare> moves;     // the largest share first
};

// The words of a target: the number of moves, the value, the lead, then a point and a share for
// each move.
class PackedTarget {
 public:
  static constexpr size_t kHeadWords = 3;

  PackedTarget() : words_(kNone) {}
  explicit PackedTarget(const uint16_t *words) : words_(words) {}

  size_t num_words() const { return kHeadWords + 2 * size_t{num_moves()}; }
  const uint16_t *words() const { return words_; }
  uint16_t num_moves() const { return words_[0]; }
  uint16_t value() const { return words_[1]; }
  int16_t lead_tenths() const { return static_cast<int16_t>(words_[2]); }
  MoveShare move(size_t index) const {
    return {words_[kHeadWords + 2 * index], words_[kHeadWords + 2 * index + 1]};
  }

 private:
  static const uint16_t kNone[kHeadWords];

  const uint16_t *words_;
};

uint16_t to_share(double share);

void append_target(const Target &target, std::vector<uint16_t> &words);

// The targets that follow each other in these words. Throws Error if they are incomplete or contain
// an invalid point.
std::vector<Target> read_targets(const uint16_t *words, size_t num_words);

// Writes the policy of a game, as a symmetry shows it, so that it sums to 1; what is in no policy
// of the game, such as most games' pass, is left out. False, and nothing written, where no move of
// it has a share.
bool write_policy(const PackedTarget &target, const GameType &type, int symmetry, float *policy);

}  // namespace golois
