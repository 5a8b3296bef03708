#include "go/position.hpp"

#include <initializer_list>
#include <set>
#include <vector>

#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

// Whether nothing that a caller can ask tells the two apart.
bool agree(const Position &a, const Position &b) {
  bool same = a.board().is_consistent() && a.board().key() == b.board().key() &&
              a.to_play() == b.to_play() && a.board().ko_point() == b.board().ko_point() &&
              a.num_moves() == b.num_moves() &&
              a.num_consecutive_passes() == b.num_consecutive_passes() &&
              a.recent_key(Position::kHistory) == b.recent_key(Position::kHistory);
  for (Colour colour : {kBlack, kWhite})
    for (int p = 0; p <= a.pass(); ++p) same &= a.legality(p, colour) == b.legality(p, colour);
  for (int ago = 0; ago < Position::kHistory; ++ago)
    same &= a.stones_ago(ago).black == b.stones_ago(ago).black &&
            a.stones_ago(ago).white == b.stones_ago(ago).white;
  return same;
}

}  // namespace

TEST(no_position_comes_twice_on_small_boards) {
  Rng rng(2);
  for (int size = 2; size <= 4; ++size) {
    Position position(size);
    std::set<uint64_t> seen{position.board().key()};
    for (int i = 0; i < 400; ++i)
      if (play_random(position, rng) != position.pass())
        CHECK(seen.insert(position.board().key()).second);
    CHECK(position.board().is_consistent() && position.num_moves() == 400);
  }
}

TEST(the_recent_key_knows_as_many_moves_as_it_is_asked_for) {
  const auto key_after = [](std::initializer_list<int> points) {
    Position position(kMaxSize);
    for (int p : points) position.play(p, position.to_play());
    return position.recent_key(5);
  };
  // differs five moves ago
  CHECK(key_after({0, 40, 80, 1, 2, 3, 4}) == key_after({80, 40, 0, 1, 2, 3, 4}));
  // differs four moves ago
  CHECK(key_after({0, 40, 80, 1, 2, 3}) != key_after({80, 40, 0, 1, 2, 3}));
  CHECK(key_after({0, 40}) != key_after({0, kPass19, kPass19, 40}));
  CHECK(key_after({}) != key_after({kPass19}));
}

TEST(superko_refuses_what_simple_ko_allows) {
  // On 2×2, Black a, White b, Black takes by c … until a stone would bring an old position back.
  Position position(2);
  int num_superko = 0;
  Rng rng(3);
  for (int i = 0; i < 40; ++i) {
    for (int p = 0; p < 4; ++p)
      num_superko += position.legality(p, position.to_play()) == Legality::kSuperko;
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

TEST(undo_restores_a_position_exactly) {
  for (int size : {3, 5, 19}) {
    Rng rng(size);
    Position position(size);
    for (int i = 0; i < 2 * size; ++i) play_random(position, rng);
    for (int line = 0; line < 40; ++line) {
      const Position before = position;
      std::vector<Position::Undo> undos;
      for (int i = 0; i < 30; ++i) {
        int point = static_cast<int>(rng.below(size * size + 1));
        if (position.legality(point, position.to_play()) != Legality::kLegal)
          point = position.pass();
        position.play_unchecked(point, position.to_play(), undos.emplace_back());
      }
      for (; !undos.empty(); undos.pop_back()) position.undo(undos.back());
      CHECK(agree(position, before));
      play_random(position, rng);
    }
  }
}

TEST(the_past_is_kept_for_the_planes) {
  Position position(kMaxSize);
  for (int p = 0; p < 10; ++p) position.play(p * 20, position.to_play());
  const auto recent = position.recent<Position::kHistory>();
  for (int ago = 0; ago < Position::kHistory; ++ago)
    CHECK(recent[ago].black.size() + recent[ago].white.size() == 10 - ago);
  position.play_unchecked(position.pass(), position.to_play());
  CHECK(position.num_consecutive_passes() == 1 &&
        position.stones_ago(0).black == position.stones_ago(1).black);
}
