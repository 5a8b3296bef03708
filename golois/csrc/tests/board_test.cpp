#include "go/board.hpp"

#include <vector>

#include "check.hpp"
#include "kit/rng.hpp"

using namespace golois;

namespace {

struct Played {
  Board::Undo undo;
  PointSet black, white;
  uint64_t key;
  int ko_point;
};

// Plays random legal moves and remembers what the board was before each.
std::vector<Played> play_randomly(Board &board, Rng &rng, int num_tries) {
  std::vector<Played> played;
  Colour colour = kBlack;
  for (int i = 0; i < num_tries; ++i) {
    const int point = static_cast<int>(rng.below(board.num_points()));
    if (board.legality(point, colour) != Legality::kLegal) continue;
    played.push_back(
        {{}, board.stones(kBlack), board.stones(kWhite), board.key(), board.ko_point()});
    const uint64_t expected_key = board.key_after(point, colour);
    board.play(point, colour, played.back().undo);
    CHECK(board.key() == expected_key);
    colour = opponent(colour);
  }
  return played;
}

}  // namespace

TEST(random_games_stay_consistent_and_come_back_by_undo_on_every_size) {
  Rng rng(1);
  for (int size = kMinSize; size <= kMaxSize; ++size) {
    Board board(size);
    std::vector<Played> played = play_randomly(board, rng, 4 * board.num_points());
    CHECK(board.is_consistent());
    for (size_t i = played.size(); i-- > 0;) {
      const Played &move = played[i];
      board.undo(move.undo);
      CHECK(board.stones(kBlack) == move.black && board.stones(kWhite) == move.white);
      CHECK(board.key() == move.key && board.ko_point() == move.ko_point);
      if (i % 16 == 0) CHECK(board.is_consistent());
    }
    CHECK(board.key() == 0);
  }
}

TEST(legality_names_the_reason) {
  Board board(3);
  board.play(1, kBlack);
  board.play(3, kBlack);
  CHECK(board.legality(1, kWhite) == Legality::kOccupied);
  CHECK(board.legality(0, kWhite) == Legality::kSuicide);
  CHECK(board.legality(0, kBlack) == Legality::kLegal);
  CHECK(board.legality(9, kBlack) == Legality::kOutOfRange);
  CHECK(board.legality(-1, kBlack) == Legality::kOutOfRange);
}

TEST(ko_forbids_to_take_back_at_once) {
  // . X O .
  // X O . O   White has just been taken into by Black at row 1, column 2.
  // . X O .
  Board board(4);
  for (int p : {1, 4, 9}) board.play(p, kBlack);
  for (int p : {2, 5, 7, 10}) board.play(p, kWhite);
  CHECK(board.play(6, kBlack) == 1);
  CHECK(board.ko_point() == 5 && board.legality(5, kWhite) == Legality::kKo);
  CHECK(board.legality(5, kBlack) == Legality::kLegal);
  board.clear_ko();
  CHECK(board.legality(5, kWhite) == Legality::kLegal);
}

TEST(chains_that_a_move_does_not_name_as_changed_keep_their_stones_and_liberties) {
  Rng rng(11);
  Board after(9);
  for (int i = 0; i < 1000; ++i) {
    const Board before = after;
    const int point = static_cast<int>(rng.below(81));
    const Colour colour = i % 2 == 0 ? kBlack : kWhite;
    if (after.legality(point, colour) != Legality::kLegal) continue;
    Board::Undo undo;
    after.play(point, colour, undo);
    const PointSet changed = after.changed_by(undo);
    for (int p = 0; p < 81; ++p) {
      if (changed.contains(p)) continue;
      CHECK(before.at(p) == after.at(p));
      if (after.at(p) != kEmpty)
        CHECK(before.liberties(before.chain_at(p)) == after.liberties(after.chain_at(p)));
    }
  }
}

TEST(a_board_full_of_stones_can_be_set_up) {
  PointSet all;
  for (int p = 0; p < kMaxPoints; ++p) all.insert(p);
  Board board(kMaxSize);
  board.set_stones(all, PointSet{});
  CHECK(board.num_stones(board.chain_at(0)) == kMaxPoints &&
        board.liberties(board.chain_at(0)).empty());
  CHECK(board.legality(0, kWhite) == Legality::kOccupied);
}
