// A game in progress: a board, whose turn it is, what the planes show of the past, and superko.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "board.hpp"

namespace golois {

// The positions of a game so far, by key; a small filter answers most questions.
class KeyHistory {
 public:
  void push(uint64_t key) {
    keys_.push_back(key);
    filter_[key >> 6 & 63] |= uint64_t{1} << (key & 63);
  }
  bool contains(uint64_t key) const {
    if ((filter_[key >> 6 & 63] >> (key & 63) & 1) == 0) return false;
    for (uint64_t seen : keys_)
      if (seen == key) return true;
    return false;
  }

 private:
  std::vector<uint64_t> keys_;
  std::array<uint64_t, 64> filter_{};
};

// The stones of both colours at one moment.
struct Stones {
  PointSet black, white;

  const PointSet &of(Colour colour) const { return colour == kBlack ? black : white; }
  PointSet &of(Colour colour) { return colour == kBlack ? black : white; }
};

class Position {
 public:
  static constexpr int kHistory = 5;  // the present and four states before it

  explicit Position(int size);

  const Board &board() const { return board_; }
  // For readers that play and take back, and leave no more behind than a missing ko point.
  Board &board_to_read() { return board_; }
  int size() const { return board_.size(); }
  int pass() const { return board_.num_points(); }
  Colour to_play() const { return to_play_; }
  int num_moves() const { return num_moves_; }
  int num_consecutive_passes() const { return num_consecutive_passes_; }

  // The stones `ago` moves ago, 0 … kHistory−1; empty before the game's start.
  const Stones &stones_ago(int ago) const {
    return recent_[(num_moves_ + kHistory - ago) % kHistory];
  }
  std::array<Stones, kHistory> recent() const;

  // Whether the stones have ever lain as this key says.
  bool has_occurred(uint64_t key) const { return keys_.contains(key); }

  // With positional superko: no move may repeat any earlier position, whoever moves. A pass is legal.
  Legality legality(int point, Colour colour) const;

  // play() refuses what legality() refuses and changes nothing then; play_unchecked() asks nothing.
  Legality play(int point, Colour colour);
  void play_unchecked(int point, Colour colour);

 private:
  Board board_;
  Colour to_play_ = kBlack;
  int num_moves_ = 0;
  int num_consecutive_passes_ = 0;
  std::array<Stones, kHistory> recent_{};
  KeyHistory keys_;
};

}  // namespace golois
