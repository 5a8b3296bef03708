#include "go/ladder_memory.hpp"

#include <vector>

#include "check.hpp"
#include "games.hpp"
#include "planes/features.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

PlanesInput input_of(Position &position) {
  return {position.board_to_read(), position.recent<kNumStates>(), position.to_play(), 7.5};
}

int random_legal_point(const Position &position, Rng &rng) {
  const int point = static_cast<int>(rng.below(kMaxPoints + 1));
  return position.legality(point, position.to_play()) == Legality::kLegal ? point : position.pass();
}

// Plays a move, reads the ladders with the memory of the position before, and checks the planes;
// leaves the new readings.
void play_and_check(Position &position, int point, Position::Undo &undo,
                    std::vector<LadderReading> &readings) {
  const std::vector<LadderReading> before = readings;
  position.play_unchecked(point, position.to_play(), undo);
  const PointSet changed = undo.is_pass ? PointSet() : position.board().changed_by(undo.board);
  LadderMemory memory(position.board_to_read(), {before.data(), static_cast<int>(before.size())},
                      changed, readings);
  CHECK(plane_words(input_of(position), memory) == plane_words(input_of(position)));
}

}  // namespace

TEST(remembered_ladders_give_the_planes_of_fresh_ones) {
  for (int seed = 0; seed < 6; ++seed) {
    Rng rng(seed);
    Position position(kMaxSize);
    std::vector<LadderReading> readings;
    Position::Undo undo;
    for (int i = 0; i < 320; ++i) {
      for (int side_line = 0; side_line < 3; ++side_line) {
        std::vector<LadderReading> readings_there = readings;
        play_and_check(position, random_legal_point(position, rng), undo, readings_there);
        position.undo(undo);
      }
      play_and_check(position, random_legal_point(position, rng), undo, readings);
    }
  }
}

TEST(a_move_far_away_makes_no_reading_again) {
  Position position(kMaxSize);
  for (int p : {0, 1}) position.play_unchecked(p, position.to_play());
  std::vector<LadderReading> readings, readings_after;
  LadderMemory first(position.board_to_read(), {}, PointSet(), readings);
  plane_words(input_of(position), first);
  CHECK(readings.size() == 2);

  Position::Undo undo;
  position.play_unchecked(kMaxPoints - 1, kBlack, undo);
  const PointSet changed = position.board().changed_by(undo.board);
  LadderMemory second(position.board_to_read(), {readings.data(), 2}, changed, readings_after);
  CHECK(readings_after.size() == 2);  // kept before anybody has asked
}
