#include "games/rollouts.hpp"

#include "check.hpp"
#include "games/hex.hpp"
#include "games/nogo.hpp"
#include "games/solver.hpp"
#include "kit/error.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

// The positions of a random game that the side to move wins, but not by every move.
template <typename Visit>
void for_each_decisive(const Game &start, uint64_t seed, Visit visit) {
  const std::unique_ptr<Game> game = start.clone();
  for (Rng rng(seed); !game->is_over();) {
    const PointSet wins = winning_moves(*game, 1'000'000);
    PointSet moves = game->candidates();
    if (!wins.empty() && wins.size() < moves.size()) visit(*game, wins);
    for (uint64_t skipped = rng.below(static_cast<uint64_t>(moves.size())); skipped > 0; --skipped)
      moves.erase(moves.first());
    game->play(moves.first());
  }
}

}  // namespace

TEST(rollouts_find_moves_that_win) {
  const NoGoGame nogo(3, NoGoPlanes::kNoGo);
  const HexGame hex(3, false);
  for (const Game *start : {static_cast<const Game *>(&nogo), static_cast<const Game *>(&hex)}) {
    int num_positions = 0, num_kept = 0;
    for (uint64_t seed = 0; seed < 20; ++seed)
      for_each_decisive(*start, seed, [&](const Game &game, const PointSet &wins) {
        ++num_positions;
        num_kept += wins.contains(rollout_move(game, 3000, seed));
        CHECK(rollout_move(game, 100, seed) == rollout_move(game, 100, seed));
      });
    CHECK(num_positions >= 30 && num_kept >= num_positions - 1);
  }
}

TEST(rollouts_leave_the_game_alone_and_refuse_one_that_is_over) {
  NoGoGame game(2, NoGoPlanes::kNoGo);
  const uint64_t key = game.key();
  CHECK(game.candidates().contains(rollout_move(game, 50, 1)) && game.key() == key &&
        game.num_moves() == 0);
  while (!game.is_over()) game.play(rollout_move(game, 1, 1));
  CHECK(throws<Error>("the game is over", [&] { rollout_move(game, 1, 1); }));
}
