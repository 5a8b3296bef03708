// NoGo: a move may neither capture nor be suicide, there is no pass, and a player without a move
// has lost.
#pragma once

#include "games/stone_game.hpp"

namespace golois {

enum class NoGoPlanes { kNoGo, kZero };

class NoGoGame final : public StoneGame {
 public:
  // Begins with the empty board.
  NoGoGame(int size, NoGoPlanes planes);

  std::unique_ptr<Game> clone() const override { return std::make_unique<NoGoGame>(*this); }
  uint64_t planes_key() const override;
  bool is_over() const override { return candidates().empty(); }
  double outcome_white() const override { return position_.to_play() == kBlack ? 1.0 : 0.0; }
  PointSet candidates() const override;
  Legality legality(int move) const override;
  void write_planes(int symmetry, LadderReadings before, std::vector<LadderReading> &readings,
                    float *planes) override;

 private:
  NoGoPlanes planes_;
};

}  // namespace golois
