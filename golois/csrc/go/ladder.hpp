// Reads ladders as the course's loader does: a search of captures and extensions,
// bounded by nodes and depth; over a bound the answer is "not captured".
#pragma once

#include "go/board.hpp"

namespace golois {

class LadderReader {
 public:
  static constexpr int kMaxNodes = 1000;
  static constexpr int kMaxDepth = 100;

  // Plays on `board`, and restores it except for the ko point: the game's own ko is ignored.
  explicit LadderReader(Board &board) : board_(board) { board_.clear_ko(); }

  // Whether the chain of the stone at `stone`, with one liberty or two, is caught: a chain in atari
  // even if its owner moves first, one with two liberties if the attacker does.
  bool is_caught(int stone);

  // The points whose colour the last reading looked at; of each chain whose liberties it counted,
  // at least one stone.
  PointSet footprint() const;

 private:
  bool defender_loses(int depth);
  bool attacker_wins(int depth);
  bool defence_works(int point, int depth);
  bool attack_works(int point, int answer, int depth);
  int num_liberties_after(int point, int taken) const;
  bool is_in_atari(int point, Colour colour) const;
  bool is_over_budget(int depth) { return ++num_nodes_ > kMaxNodes || depth > kMaxDepth; }
  PointSet captures_of_neighbours(int chain);
  int num_empty_neighbours(int point) const;

  Board &board_;
  int stone_ = kNoPoint;
  Colour defender_ = kEmpty;
  int num_nodes_ = 0;
  PointSet looked_at_;
};

}  // namespace golois
