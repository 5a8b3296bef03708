// A game in progress: a board, the side to move, the past that the planes show, and superko.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "go/board.hpp"

namespace golois {

// The positions of a game so far, by key; a small filter answers most questions.
class KeyHistory {
 public:
  // Returns whether the filter knows the key from now on and did not before: pop() of the same key
  // must be told.
  bool push(uint64_t key) {
    keys_.push_back(key);
    const bool is_new = !passes_filter(key);
    filter_[key >> 6 & 63] |= bit_of(key);
    return is_new;
  }
  void pop(bool was_new) {
    if (was_new) filter_[keys_.back() >> 6 & 63] &= ~bit_of(keys_.back());
    keys_.pop_back();
  }
  bool contains(uint64_t key) const {
    return passes_filter(key) && std::find(keys_.begin(), keys_.end(), key) != keys_.end();
  }

 private:
  static uint64_t bit_of(uint64_t key) { return uint64_t{1} << (key & 63); }
  bool passes_filter(uint64_t key) const { return filter_[key >> 6 & 63] & bit_of(key); }

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
  static constexpr int kHistory = 8;  // the present and seven states before it

  struct State {
    Stones stones;
    uint64_t key = 0;
    Point move = kNoPoint;  // the move that led here, and its colour; none at the start
    Colour mover = kEmpty;
  };

  // What a move changed; only for undo() of that very move.
  struct Undo {
    Board::Undo board;
    State oldest;
    PointSet taken;
    int num_consecutive_passes;
    Colour to_play;
    bool is_pass, is_new_key;
  };

  explicit Position(int size);

  const Board &board() const { return board_; }
  // For readers that play and undo, and change nothing but the ko point.
  Board &board_to_read() { return board_; }
  int size() const { return board_.size(); }
  int pass() const { return board_.num_points(); }
  Colour to_play() const { return to_play_; }
  int num_moves() const { return num_moves_; }
  // Whether the last move was a pass, by the colour that is not to move.
  bool opponent_has_passed() const {
    return num_consecutive_passes_ > 0 && state_ago(0).mover == opponent(to_play_);
  }
  int num_consecutive_passes() const { return num_consecutive_passes_; }

  // The stones `ago` moves ago, 0 … kHistory−1; empty before the game's start.
  const Stones &stones_ago(int ago) const { return state_ago(ago).stones; }

  // The last move (0), the move before it, … the eighth last (kHistory−1), as the state that it led
  // to.
  const State &state_ago(int ago) const {
    return recent_[(num_moves_ + kHistory - ago) % kHistory];
  }

  // The stones 0 … num_states−1 moves ago.
  template <std::size_t num_states>
  std::array<Stones, num_states> recent() const {
    static_assert(num_states <= kHistory);
    std::array<Stones, num_states> stones;
    for (std::size_t ago = 0; ago < num_states; ++ago)
      stones[ago] = stones_ago(static_cast<int>(ago));
    return stones;
  }

  // Identifies the stones 0 … num_states−1 moves ago and the side to move.
  uint64_t recent_key(int num_states) const;

  // All positions of this game.
  const KeyHistory &keys() const { return keys_; }

  // Where a stone has been taken in this game.
  const PointSet &taken() const { return taken_; }

  // Whether a move that is legal but for superko would repeat a position. It can do so only where a
  // stone was taken: the earlier position had this stone on the point.
  bool would_repeat(int point, Colour colour) const {
    return taken_.contains(point) && keys_.contains(board_.key_after(point, colour));
  }

  // With positional superko: no move may repeat any earlier position, whoever moves. A pass is
  // legal.
  Legality legality(int point, Colour colour) const;

  // play() refuses what legality() refuses and then changes nothing; play_unchecked() checks
  // nothing.
  Legality play(int point, Colour colour);
  void play_unchecked(int point, Colour colour) {
    Undo undo;
    play_unchecked(point, colour, undo);
  }
  void play_unchecked(int point, Colour colour, Undo &undo);

  // Undoes the last move, which `undo` came from.
  void undo(const Undo &undo);

  // Gives the turn to a colour without a pass.
  void set_to_play(Colour colour) { to_play_ = colour; }

 private:
  Board board_;
  Colour to_play_ = kBlack;
  int num_moves_ = 0;
  int num_consecutive_passes_ = 0;
  std::array<State, kHistory> recent_{};
  PointSet taken_;
  KeyHistory keys_;
};

}  // namespace golois
