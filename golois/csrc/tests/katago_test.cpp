#include "katago/inputs.hpp"

#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "kit/error.hpp"
#include "kit/rng.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

constexpr KatagoRules kSuicidal{7.5, KoRule::kSituational, true};

// A random legal move, one of ten a pass.
int random_move(const KatagoGame &game, Rng &rng) {
  const KatagoGame::Moves moves = game.moves();
  std::vector<int> legal;
  (moves.possible - moves.forbidden).for_each([&](int p) { legal.push_back(p); });
  return legal.empty() || rng.below(10) == 0 ? kPass19 : legal[rng.below(legal.size())];
}

bool are_equal(const ShownLadders &a, const ShownLadders &b) {
  return a.caught == b.caught && a.working[kBlack] == b.working[kBlack] &&
         a.working[kWhite] == b.working[kWhite];
}

}  // namespace

TEST(remembered_katago_ladders_are_those_of_a_fresh_reading) {
  int num_caught = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Rng rng(seed);
    KatagoGame game(kSuicidal, {}, kBlack);
    for (int i = 0; i < 500; ++i) {
      game.play(random_move(game, rng));
      if (rng.below(3) == 0) continue;
      game.read_ladders();
      Board board = game.board();
      const ShownLadders fresh = KatagoLadders().read(board, {});
      CHECK(are_equal(game.ladders_ago(0), fresh));
      CHECK(board.key() == game.board().key() && board.ko_point() == game.board().ko_point());
      num_caught += fresh.caught.size();
    }
    CHECK(game.board().is_consistent());
  }
  CHECK(num_caught > 1000);
}

TEST(suicide_takes_a_chain_off_where_it_is_legal) {
  Stones setup;
  for (int p : {2, 19, 20}) setup.black.insert(p);
  KatagoGame game(kSuicidal, setup, kWhite);
  for (int p : {0, kPass19}) game.play(p);
  // White to move stood before the same stones, and Black will
  CHECK(game.moves().forbidden.empty());
  game.play(1);
  CHECK(game.board().stones(kWhite).empty() && game.board().is_consistent());
  CHECK(game.board().num_liberties(game.board().chain_at(2)) == 3);

  KatagoGame plain({7.5, KoRule::kPositional, false}, setup, kWhite);
  for (int p : {0, kPass19}) plain.play(p);
  CHECK(throws<Error>("suicide", [&] { plain.play(1); }));
  CHECK(!plain.moves().possible.contains(1));
}

TEST(one_stone_is_no_suicide_that_is_legal) {
  Stones setup;
  for (int p : {1, 19}) setup.black.insert(p);
  KatagoGame game(kSuicidal, setup, kWhite);
  CHECK(throws<Error>("suicide", [&] { game.play(0); }));
}

TEST(a_position_is_shown_as_its_game) {
  Rng rng(1);
  const KatagoRules rules{6.5, KoRule::kPositional, false};
  KatagoGame game(rules, {}, kBlack);
  Position position(kMaxSize);
  for (int i = 0; i < 400; ++i) {
    const KatagoInputs ours = katago_inputs(KatagoGame(6.5, position), {}),
                       expected = katago_inputs(game, {});
    CHECK(ours.planes == expected.planes && ours.globals == expected.globals &&
          ours.legal == expected.legal);
    const int move = random_move(game, rng);
    game.play(move);
    game.read_ladders();
    position.play_unchecked(move, position.to_play());
  }
}

TEST(plane_bits_are_those_of_the_points) {
  Rng rng(2);
  KatagoGame game(kSuicidal, {}, kBlack);
  for (int i = 0; i < 200; ++i) game.play(random_move(game, rng));
  game.read_ladders();
  const KatagoInputs inputs = katago_inputs(game, {});
  // of the very size, for the sanitizer
  const auto bytes = std::make_unique<uint8_t[]>(kKatagoShape.num_bytes());
  write_plane_bits(inputs, bytes.get());
  const PlaneWords words = plane_words(inputs);
  for (int plane = 0; plane < kNumKatagoPlanes; ++plane)
    for (int p = 0; p < kMaxPoints; ++p) {
      const int bit = plane * kMaxPoints + p;
      const bool is_set = bytes[bit / 8] >> (7 - bit % 8) & 1;
      CHECK(is_set == inputs.planes[plane].contains(p));
      CHECK(is_set == ((words[p] & plane_bit(plane)) != 0));
    }
}

TEST(what_is_no_game_of_katago_is_refused) {
  Stones setup;
  for (int p : {1, 19}) setup.black.insert(p);
  setup.white.insert(0);
  CHECK(throws<Error>("without liberties", [&] { KatagoGame(kSuicidal, setup, kBlack); }));
  CHECK(throws<Error>("not of 9×9", [] { KatagoGame(7.5, Position(9)); }));
  KatagoGame game(kSuicidal, {}, kBlack);
  game.play(0);
  for (int point : {-1, kPass19 + 1, 1 << 30})
    CHECK(throws<Error>("not on the board", [&] { game.play(point); }));
  CHECK(throws<Error>("occupied", [&] { game.play(0); }));
}
