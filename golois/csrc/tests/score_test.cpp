#include "go/score.hpp"

#include "check.hpp"
#include "games.hpp"
#include "go/position.hpp"

using namespace golois;
using namespace golois::testing;

TEST(empty_regions_belong_to_the_colour_they_alone_reach) {
  Board board(3);
  CHECK(score_black(board) == 0);
  for (int p : {3, 4, 5}) board.play(p, kBlack);
  CHECK(score_black(board) == 9);
}

TEST(stones_count_until_they_are_dead) {
  Board board(3);
  for (int p : {4, 7}) board.play(p, kBlack);
  board.play(2, kWhite);
  CHECK(score_black(board) == 1 && area(board).white.contains(2));
  board.play(1, kBlack);  // a wall between two eyes
  CHECK(score_black(board) == 9 && area(board).black.contains(2));
}

TEST(the_score_is_the_difference_of_the_areas) {
  Rng rng(4);
  for (int size : {5, 9, 19}) {
    Position position(size);
    for (int i = 0; i < 3 * size * size; ++i) play_random(position, rng);
    const Area owned = area(position.board());
    CHECK(!owned.black.meets(owned.white));
    CHECK(owned.black.size() - owned.white.size() == score_black(position.board()));
  }
}
