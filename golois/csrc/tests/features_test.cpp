#include "planes/features.hpp"

#include <cmath>

#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

PlaneWords words_of(const Position &position, double komi) {
  Board board = position.board();
  return plane_words({board, position.recent<kNumStates>(), position.to_play(), komi});
}

}  // namespace

TEST(computing_planes_leaves_the_board_as_it_was) {
  Rng rng(7);
  Position position(kMaxSize);
  for (int i = 0; i < 200; ++i) play_random(position, rng);
  Board board = position.board();
  plane_words({board, position.recent<kNumStates>(), position.to_play(), 0});
  CHECK(board.is_consistent() && board.key() == position.board().key());
}

TEST(each_stone_has_one_plane_of_liberties) {
  Rng rng(8);
  Position position(kMaxSize);
  for (int i = 0; i < 250; ++i) play_random(position, rng);
  const PlaneWords words = words_of(position, 6.5);
  for (int p = 0; p < kMaxPoints; ++p) {
    const uint32_t liberties = words[p] >> (31 - kLibertiesPlane - 5) & 63;
    CHECK(__builtin_popcount(liberties) == (position.board().at(p) != kEmpty));
  }
}

TEST(only_a_komi_from_0_to_9_shows) {
  const Position position(kMaxSize);
  const auto komi_bits = [&](double komi) {
    return words_of(position, komi)[0] >> (31 - kKomiPlane - 9) & 1023;
  };
  CHECK(komi_bits(0) == 512 && komi_bits(7.5) == 4 && komi_bits(9.75) == 1);
  for (double komi : {-0.5, 10.0, 1e300, -1e300, double(INFINITY), double(NAN)})
    CHECK(komi_bits(komi) == 0);
}
