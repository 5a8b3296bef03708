#include "../score.hpp"

#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

TEST(empty_regions_belong_to_the_colour_they_alone_reach) {
  Board board(3);
  CHECK(score_black(board) == 0);
  for (int p : {3, 4, 5}) board.play(p, kBlack);
  CHECK(score_black(board) == 9);
  board.play(0, kWhite);
  CHECK(score_black(board) == 5);  // the two points beside it reach both colours
  CHECK(area(board)[1] == kEmpty && area(board)[8] == kBlack);
}

TEST(the_score_is_the_difference_of_the_areas) {
  Rng rng(4);
  for (int size : {5, 9, 19}) {
    Position position(size);
    for (int i = 0; i < 3 * size * size; ++i) play_random(position, rng);
    const Owners owners = area(position.board());
    int difference = 0;
    for (int p = 0; p < size * size; ++p) {
      difference += (owners[p] == kBlack) - (owners[p] == kWhite);
      if (position.board().at(p) != kEmpty) CHECK(owners[p] == position.board().at(p));
    }
    CHECK(difference == score_black(position.board()));
  }
}
