#include "../life.hpp"

#include <algorithm>

#include "../candidates.hpp"
#include "check.hpp"
#include "games.hpp"

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
        CHECK(are_settled(board, board.empty_points()) == all);
        CHECK(!black.meets(white));
        PointSet rest = board.stones(kBlack);
        rest |= board.stones(kWhite);
        if (all) CHECK((rest - black - white).empty());
        num_settled += all;
      });
  CHECK(num_settled > 10);
}

TEST(no_candidate_is_left_to_one_who_could_only_play_settled_points) {
  int num_settled = 0;
  for (uint64_t seed = 0; seed < 50; ++seed)
    play_candidates(7, seed, [&](const Position &position) {
      const PointSet moves = candidate_moves(position, 0.5);
      const bool passes = moves.size() == 1 && moves.contains(position.pass());
      CHECK(passes || !are_settled(position.board(), moves));
      num_settled += are_settled(position.board(), position.board().empty_points());
    });
  CHECK(num_settled > 10);
}
