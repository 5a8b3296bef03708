#include "importing/games_text.hpp"

#include "check.hpp"
#include "games.hpp"
#include "records/drop.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

RecordedGame parsed(const std::string &text) {
  RecordedGame game;
  parse_games_text(text, game);
  return game;
}

}  // namespace

TEST(games_with_komi_and_values_are_read) {
  const RecordedGame game = parsed(kTextGame);
  CHECK(game.moves.size() == 3 && game.komi_quarters == 26 && game.result.winner == kWhite);
  CHECK(game.moves[0].is_unlabelled && game.moves[1].value == 53 && game.moves[1].colour == kWhite);
  CHECK(game.moves[2].point == kPass19 && game.moves[2].value == 7);
}

TEST(older_eras_are_told_apart_by_their_numbers) {
  CHECK(parsed("B 2 72 1 60 0").moves.size() == 2);
  const RecordedGame game = parsed("B 2 1 72 1 60 0");
  CHECK(game.moves.size() == 2 && game.moves[0].is_unlabelled && !game.moves[1].is_unlabelled);
}

TEST(what_is_no_game_is_dropped) {
  for (const char *text :
       {"", "6.5", "W", "W x", "W -2 72 1", "W 1 72", "W 1 362 1", "W 1 72 2", "W 1 72.5 1",
        "6.5 W 1 72 1 1.5 0", "W 99999999999", "6.5 W 1000000000 72 1 0.5 0"})
    CHECK(throws<Dropped>("", [&] { parsed(text); }));
}
