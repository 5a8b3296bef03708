#include "go/ladder.hpp"

#include "check.hpp"
#include "games.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

constexpr int at(int row, int column) { return row * kMaxSize + column; }

// A white stone with two liberties, right and below, and Black's stones around it.
Board ladder_board() {
  Board board(kMaxSize);
  board.play(at(3, 3), kWhite);
  for (int p : {at(2, 3), at(3, 2), at(2, 4), at(4, 2)}) board.play(p, kBlack);
  return board;
}

}  // namespace

TEST(a_ladder_works_unless_a_stone_breaks_it) {
  Board board = ladder_board();
  CHECK(LadderReader(board).is_caught(at(3, 3)));
  board.play(at(10, 10), kWhite);
  CHECK(!LadderReader(board).is_caught(at(3, 3)));
}

TEST(a_stone_in_atari_at_the_edge_is_lost) {
  Board board(kMaxSize);
  board.play(at(0, 0), kWhite);
  board.play(at(0, 1), kBlack);
  board.play(at(2, 0), kBlack);
  board.play(at(1, 1), kBlack);
  CHECK(LadderReader(board).is_caught(at(0, 0)));
}

TEST(reading_leaves_the_board_as_it_was) {
  Rng rng(5);
  Position position(kMaxSize);
  for (int i = 0; i < 300; ++i) {
    play_random(position, rng);
    if (i % 10 != 0) continue;
    Board board = position.board();
    for (int p = 0; p < kMaxPoints; ++p) {
      if (board.at(p) == kEmpty || board.chain_at(p) != p) continue;
      const int num_liberties = board.num_liberties(p);
      if (num_liberties == 1 || num_liberties == 2) LadderReader(board).is_caught(p);
    }
    CHECK(board.is_consistent() && board.key() == position.board().key());
    CHECK(board.stones(kBlack) == position.board().stones(kBlack));
  }
}
