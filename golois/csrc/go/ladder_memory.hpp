// Ladders remembered from one position of a game to the next: a move changes few chains, and only
// readings that looked at one of those are repeated. The answers equal those of a new LadderReader.
#pragma once

#include <vector>

#include "go/ladder.hpp"

namespace golois {

// What the reading of a chain's ladder has found, and what that depends on.
struct LadderReading {
  PointSet footprint;
  Point stone;  // one of the chain's
  bool is_caught;
};

// A view of an array of readings.
struct LadderReadings {
  const LadderReading *begin() const { return first; }
  const LadderReading *end() const { return first + size; }

  const LadderReading *first = nullptr;
  int size = 0;
};

// Reads the ladders of one position.
class LadderMemory {
 public:
  // `before` are readings of the position before the last move, and `changed` is what that move
  // changed (Board::changed_by). The readings that are still good, and those made here, are written
  // to `readings`. Leaves the board as LadderReader does.
  LadderMemory(Board &board, LadderReadings before, const PointSet &changed,
               std::vector<LadderReading> &readings);

  // As LadderReader::is_caught(), for a chain by its name.
  bool is_caught(int chain);

 private:
  LadderReader reader_;
  std::vector<LadderReading> &readings_;
  PointSet known_, caught_;  // chains, by name
};

}  // namespace golois
