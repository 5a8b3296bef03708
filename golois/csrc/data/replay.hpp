// Shows a recorded game at any move without the rules: the record lists what each move took off the
// board.
#pragma once

#include <array>

#include "go/position.hpp"
#include "records/record.hpp"

namespace golois {

// Replays a record from the empty board to its end; it must not outlive its game.
class Replay {
 public:
  explicit Replay(const PackedGame &game);

  // Plays on until `num_moves` moves are on the board.
  void advance_to(int num_moves);

  const Stones &stones() const { return stones_; }

  // Who makes the next move, also where one colour moves twice; at the end, the opponent of who
  // moved last, and Black in a game without moves.
  Colour to_play() const {
    if (index_ < game_.num_moves()) return game_.colour(index_);
    return index_ == 0 ? kBlack : opponent(game_.colour(index_ - 1));
  }

 private:
  void take_captured_stones();
  void find_next_capture();

  const PackedGame &game_;
  const uint16_t *capture_, *captures_end_;
  const int num_points_;
  int next_capture_ = 0;  // index of the next move that captures
  int index_ = 0;
  Stones stones_;
};

}  // namespace golois
