#include "../position.hpp"

#include <set>

#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

TEST(no_position_comes_twice_on_small_boards) {
  Rng rng(2);
  for (int size = 2; size <= 4; ++size) {
    Position position(size);
    std::set<uint64_t> seen{position.board().key()};
    for (int i = 0; i < 400; ++i)
      if (play_random(position, rng) != position.pass()) CHECK(seen.insert(position.board().key()).second);
    CHECK(position.board().is_consistent() && position.num_moves() == 400);
  }
}

TEST(superko_refuses_what_simple_ko_allows) {
  // On 2×2, Black a, White b, Black takes by c … until a stone would bring an old position back.
  Position position(2);
  int num_superko = 0;
  Rng rng(3);
  for (int i = 0; i < 40; ++i) {
    for (int p = 0; p < 4; ++p) num_superko += position.legality(p, position.to_play()) == Legality::kSuperko;
    play_random(position, rng);
  }
  CHECK(num_superko > 0);
}

TEST(a_refused_move_changes_nothing) {
  Position position(5);
  position.play(7, kBlack);
  const uint64_t key = position.board().key();
  CHECK(position.play(7, kWhite) == Legality::kOccupied);
  CHECK(position.board().key() == key && position.num_moves() == 1 && position.to_play() == kWhite);
}

TEST(the_past_is_kept_for_the_planes) {
  Position position(kMaxSize);
  for (int p = 0; p < 10; ++p) position.play(p * 20, position.to_play());
  const auto recent = position.recent();
  for (int ago = 0; ago < Position::kHistory; ++ago)
    CHECK(recent[ago].black.size() + recent[ago].white.size() == 10 - ago);
  position.play_unchecked(position.pass(), position.to_play());
  CHECK(position.num_consecutive_passes() == 1 && position.stones_ago(0).black == position.stones_ago(1).black);
}
