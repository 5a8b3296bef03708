#include "importing/sgf.hpp"

#include "check.hpp"
#include "games.hpp"
#include "importing/sgf_properties.hpp"
#include "records/drop.hpp"

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
  const RecordedGame game =
      parsed(kHead + ";B[pd]C[0.53 0.47 0.00 0.4 v=1];C[0.9 0.1 0 0]W[dd];B[aa]C[hello])");
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
  for (const char *text :
       {"(", "(;B", "(;B[", "(;B[aa\\", "(;B[aa]", "(;B aa)", "(;!)", "(;B[aa]C[\\])"})
    CHECK(throws<Dropped>("", [&] { parsed(text); }));
}

TEST(a_short_text_cannot_ask_for_much_memory) {
  std::string text = kHead + "AB";
  for (int i = 0; i < 100'000; ++i) text += "[aa:ss]";
  CHECK(parsed(text + ")").moves.size() == kPass19);
  std::string moves = kHead;
  for (int i = 0; i < 20'000; ++i) moves += ";B[];W[]AE[aa]";
  CHECK(throws<Dropped>("more than 32767 moves", [&] { parsed(moves + ")"); }));
}

TEST(the_last_set_up_of_a_point_counts) {
  const RecordedGame game = parsed(kHead + "AB[dd][dd][pp][]AW[dd]AE[pp];B[pd]PL[B])");
  CHECK(game.moves.size() == 2 && game.moves[0].colour == kWhite && game.moves[0].is_unlabelled);
  CHECK(game.to_play == kBlack && game.fault.empty());
  CHECK(parsed(kHead + "AB[cc:aa];W[qq])").moves.size() == 10);
  CHECK(!parsed(kHead + ";B[dd];AE[dd])").fault.empty());
}

TEST(the_size_of_a_square_is_read) {
  for (const char *size : {"19", "19:19", " 19 : 19 "})
    CHECK(parsed(std::string("(;SZ[") + size + "];B[aa])").size == kMaxSize);
  for (const char *size : {"19:13", "19x19", "nineteen", ":", "19:", "999999999999"})
    CHECK(parsed(std::string("(;SZ[") + size + "];B[aa])").size == 0);
}

TEST(texts_are_cut_between_characters) {
  CHECK(unescaped("a\\]\\\r\nb\\") == "a]b\\");
  CHECK(unescaped("a\u00e9\u6728", 2) == "a" && unescaped("a\u00e9\u6728", 3) == "a\u00e9");
  CHECK(unescaped("\x80\x80\x80\x80\x80\x80", 5).size() <= 5);
}
