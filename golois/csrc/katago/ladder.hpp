// Ladders as KataGo's networks are shown them.
//
// They differ from the course's (go/ladder.hpp): a chain is safe once the attacker leaves a ko, a
// double ko catches it, and the first moves of the attacker that work are told. So this reader
// stands beside the course's.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "go/board.hpp"

namespace golois {

// What the reading of one chain has found, and what that depends on.
struct KatagoLadder {
  PointSet footprint;           // as LadderReader::footprint()
  std::array<Point, 2>
      working;  // the attacker's first moves that catch a chain of two liberties, or kNoPoint
  Point stone;                  // one of the chain's
  bool is_caught;
};

class KatagoLadderReader {
 public:
  static constexpr int kMaxMoves = 25'000;  // over this, or this depth, a chain is not caught
  static constexpr int kMaxDepth = 2 * kMaxPoints;

  // Plays on `board`, and restores it.
  explicit KatagoLadderReader(Board &board) : board_(board) {}

  // Reads the chain of the stone at `stone`, with one liberty (its owner moves first) or two (the
  // attacker does). The game's ko binds the first move of an attacker, and nobody later.
  KatagoLadder read(int stone);

 private:
  bool first_attack_works(int point, int answer);
  bool defender_loses(int depth);
  bool attacker_wins(int depth);
  bool defence_works(int point, int depth);
  bool attack_works(int point, int answer, int depth);
  bool attack_is_lost(int point, int answer) const;
  bool is_double_ko(int chain, int first, int second);
  bool would_take_ko(int point) const;
  bool can_play(int point, Colour colour) const {
    return board_.legality(point, colour) == Legality::kLegal;
  }
  int num_liberties_after(int point, int taken) const;
  int num_empty_neighbours(int point) const;
  PointSet captures_of_neighbours(int chain);

  Board &board_;
  int stone_ = kNoPoint;
  Colour defender_ = kEmpty;
  int num_moves_ = 0;
  PointSet looked_at_;
};

// The ladders of a position, as points.
struct ShownLadders {
  PointSet caught;                  // stones
  std::array<PointSet, 3> working;  // by the attacker's colour
};

// The ladders of one position of a game after the other. Only readings that looked at what has
// changed are repeated.
class KatagoLadders {
 public:
  // Of the board; `changed` is what has changed since the last call, as Board::changed_by() and the
  // points of kos tell.
  ShownLadders read(Board &board, const PointSet &changed);

 private:
  std::vector<KatagoLadder> ladders_;
};

}  // namespace golois
