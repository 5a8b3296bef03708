// Go with komi and area scoring (score.hpp), without suicide, with positional superko; two passes
// end it.
#pragma once

#include "games/stone_game.hpp"

namespace golois {

struct GoRules {
  double komi;
  // a pass is a move like others; else it is the arena's (candidates.hpp), and in no policy
  bool has_free_passes;
  int max_moves;         // the game is over after so many moves, passes included; 0: never
};

enum class GoPlanes : int32_t { kCourse, kZero, kKatago };  // KataGo's on 19×19 only

class GoGame final : public StoneGame {
 public:
  // Begins at a position.
  GoGame(const Position &position, const GoRules &rules, GoPlanes planes);

  std::unique_ptr<Game> clone() const override { return std::make_unique<GoGame>(*this); }
  uint64_t planes_key() const override;
  bool is_over() const override;
  double outcome_white() const override;
  PointSet candidates() const override;
  Legality legality(int move) const override {
    return position_.legality(move, position_.to_play());
  }
  void write_planes(int symmetry, LadderReadings before, std::vector<LadderReading> &readings,
                    float *planes) override;

 private:
  PlaneWords course_words(LadderReadings before, std::vector<LadderReading> &readings);
  PlaneWords other_words() const;

  GoRules rules_;
  GoPlanes planes_;
};

}  // namespace golois
