#include "../sgf.hpp"

#include "../drop.hpp"
#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

RecordedGame parsed(const std::string &text) {
  RecordedGame game;
  parse_sgf(text, game);
  return game;
}

}  // namespace

TEST(moves_result_and_komi_are_read) {
  const RecordedGame game = parsed(kShortGame);
  CHECK(game.moves.size() == 3 && game.komi_quarters == 30);
  CHECK(game.moves[0].point == 3 * kMaxSize + 15 && game.moves[0].colour == kBlack);
  CHECK(game.result.winner == kBlack && game.result.margin_halves == kMarginResign);
}

TEST(katagos_comments_are_values) {
  const RecordedGame game = parsed(kHead + ";B[pd]C[0.53 0.47 0.00 0.4 v=1];C[0.9 0.1 0 0]W[dd];B[aa]C[hello])");
  CHECK(game.moves[0].value == 53 && game.moves[1].value == 90 && game.moves[2].value == kNoValue);
}

TEST(only_the_main_line_counts) {
  CHECK(parsed(kHead + ";B[aa](;W[bb];B[cc])(;W[dd]))").moves.size() == 3);
}

TEST(rectangles_are_stones_without_a_label) {
  const RecordedGame game = parsed(kHead + "AB[aa:bc];W[qq])");
  CHECK(game.moves.size() == 7 && game.moves[5].is_unlabelled && !game.moves[6].is_unlabelled);
}

TEST(what_is_no_game_tree_is_dropped) {
  for (const char *text : {"(", "(;B", "(;B[", "(;B[aa\\", "(;B[aa]", "(;B aa)", "(;!)", "(;B[aa]C[\\])"})
    CHECK(throws<Dropped>("", [&] { parsed(text); }));
}

TEST(a_short_text_cannot_ask_for_much_memory) {
  std::string text = kHead + "AB";
  for (int i = 0; i < 100'000; ++i) text += "[aa:ss]";
  CHECK(throws<Dropped>("more than 32767 moves", [&] { parsed(text + ")"); }));
}
