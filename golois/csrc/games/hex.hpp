// Hex: Black joins the left edge with the right one, White the top with the bottom. There is no
// pass and no draw.
//
// Point (r, c) touches (r, c ± 1), (r ± 1, c), (r − 1, c + 1) and (r + 1, c − 1): each row lies
// half a point further right than the one above it.
#pragma once

#include <array>
#include <vector>

#include "games/game.hpp"

namespace golois {

class HexGame final : public Game {
 public:
  // Begins with the empty board. With `has_swap`, White may answer the first move by playing on its
  // stone: the stone becomes White's, on the point (c, r) where it was on (r, c).
  HexGame(int size, bool has_swap);

  std::unique_ptr<Game> clone() const override { return std::make_unique<HexGame>(*this); }
  Colour to_play() const override { return past_.size() % 2 == 0 ? kBlack : kWhite; }
  int num_moves() const override { return static_cast<int>(past_.size()); }
  const PointSet &stones(Colour colour) const override { return now_.stones[colour]; }
  uint64_t key() const override { return now_.key; }
  uint64_t planes_key() const override { return mix64(now_.key ^ to_play()); }
  bool is_over() const override { return now_.winner != kEmpty; }
  double outcome_white() const override { return now_.winner == kWhite ? 1.0 : 0.0; }
  PointSet candidates() const override;
  Legality legality(int move) const override;
  void play(int move) override;
  void take_back() override;
  int num_to_take_back() const override { return num_moves(); }
  void write_planes(int symmetry, LadderReadings before, std::vector<LadderReading> &readings,
                    float *planes) override;

 private:
  // Of each colour, its stones, and those of them that are joined with its first edge: the left
  // one, or the top.
  struct State {
    std::array<PointSet, 3> stones{}, joined{};
    uint64_t key = 0;
    Colour winner = kEmpty;
  };

  bool may_swap() const { return has_swap_ && past_.size() == 1; }
  void toggle(int point, Colour colour);
  void join(int point, Colour colour);

  bool has_swap_;
  std::array<PointSet, 3> first_edge_, last_edge_;
  State now_;
  std::vector<State> past_;
};

}  // namespace golois
