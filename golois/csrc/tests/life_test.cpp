#include "go/life.hpp"

#include <algorithm>

#include "check.hpp"
#include "games.hpp"
#include "go/candidates.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

// Plays a game of random candidates, and calls visit(position) before each move.
template <typename Visit>
void play_candidates(int size, uint64_t seed, Visit visit) {
  Rng rng(seed);
  Position position(size);
  for (int i = 0; i < 4 * size * size && position.num_consecutive_passes() < 2; ++i) {
    visit(position);
    std::vector<int> moves;
    candidate_moves(position, 0.5).for_each([&](int move) { moves.push_back(move); });
    position.play_unchecked(moves[rng.below(moves.size())], position.to_play());
  }
}

}  // namespace

TEST(points_are_settled_when_each_of_them_is) {
  int num_settled = 0;
  for (int size : {2, 3, 5, 9, 19})
    for (uint64_t seed = 0; seed < 10; ++seed)
      play_candidates(size, seed, [&](const Position &position) {
        const Board &board = position.board();
        const PointSet black = settled_points(board, kBlack), white = settled_points(board, kWhite);
        const bool all = (board.empty_points() - black - white).empty();
        CHECK(unsettled_points(board, board.empty_points()).empty() == all);
        CHECK((open_points(board) - unsettled_points(board, board.empty_points())).empty());
        CHECK(!black.meets(white));
        PointSet rest = board.stones(kBlack);
        rest |= board.stones(kWhite);
        if (all) CHECK((rest - black - white).empty());
        num_settled += all;
      });
  CHECK(num_settled > 10);
}

TEST(a_pass_is_a_candidate_where_no_move_is_both_unsettled_and_safe) {
  int num_passes = 0, num_choices = 0;
  for (uint64_t seed = 0; seed < 200; ++seed)
    play_candidates(7, seed, [&](const Position &position) {
      const Board &board = position.board();
      const Colour colour = position.to_play();
      PointSet moves = candidate_moves(position, 0.5);
      const bool has_pass = moves.contains(position.pass());
      moves.erase(position.pass());
      const PointSet unsettled = unsettled_points(board, moves);
      bool is_safe = false;
      unsettled.for_each([&](int p) { is_safe |= !gives_chain_away(board, p, colour); });
      CHECK(has_pass != is_safe);
      CHECK(!has_pass || moves == unsettled);
      num_passes += has_pass;
      num_choices += has_pass && !moves.empty();
    });
  CHECK(num_passes > 10 && num_choices > 10);
}

TEST(a_chain_is_given_away_by_a_move_that_takes_nothing_and_leaves_it_one_liberty) {
  int num_given_away = 0;
  for (uint64_t seed = 0; seed < 10; ++seed)
    play_candidates(7, seed, [&](const Position &position) {
      const Colour colour = position.to_play();
      legal_points(position).for_each([&](int p) {
        Board after = position.board();
        const bool takes = after.play(p, colour) > 0;
        const int chain = after.chain_at(p);
        const bool expected =
            !takes && after.num_stones(chain) > 1 && after.num_liberties(chain) == 1;
        CHECK(gives_chain_away(position.board(), p, colour) == expected);
        num_given_away += expected;
      });
    });
  CHECK(num_given_away > 10);
}
