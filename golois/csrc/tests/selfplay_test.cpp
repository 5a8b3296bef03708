#include "search/selfplay.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "games/go.hpp"
#include "games/hex.hpp"
#include "games/nogo.hpp"
#include "kit/error.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

SelfPlayOptions options(bool is_race) {
  SelfPlayOptions options{};
  options.search = {
      {1.1, 0.45, 500.0, 0.2, 0.2, 0.1}, {1.03, is_race ? 0.0 : 0.25, 2.43}, 64, true, 7};
  if (is_race) options.race = RaceOptions{8, 50, 1};
  options.num_simulations = 12;
  options.num_quick_simulations = 3;
  options.full_share = 0.5;
  options.num_early_moves = 6;
  options.early_temperature = 1;
  options.max_value_loss = 2;
  options.resign_value = -0.9;
  options.hold_out_share = 0.5;
  return options;
}

// A policy and a value that depend on the planes alone.
void evaluate(const float *planes, const GameShape &shape, float *policy, float *value) {
  uint64_t seed = 0;
  for (int i = 0; i < shape.planes.num_numbers(); ++i)
    seed = mix64(seed + static_cast<uint64_t>(planes[i]) + 1);
  Rng rng(seed);
  std::generate_n(policy, shape.policy_size,
                  [&] { return static_cast<float>(1 + rng.below(100)); });
  const float total = std::accumulate(policy, policy + shape.policy_size, 0.0f);
  std::for_each(policy, policy + shape.policy_size, [&](float &prior) { prior /= total; });
  *value = static_cast<float>(rng.below(101)) / 100.0f;
}

std::map<int64_t, PlayedGame> play(const Game &start, const SelfPlayOptions &options, int num_games,
                                   int num_parallel, int num_threads) {
  SelfPlay selfplay(start, options, 0, num_games, num_parallel, num_threads);
  const GameShape &shape = start.shape();
  std::vector<float> planes(num_parallel * shape.planes.num_numbers()),
      policy(num_parallel * shape.policy_size), values(num_parallel);
  while (const int num_rows = selfplay.collect(planes.data())) {
    for (int row = 0; row < num_rows; ++row)
      evaluate(&planes[row * shape.planes.num_numbers()], shape, &policy[row * shape.policy_size],
               &values[row]);
    selfplay.answer(policy.data(), values.data(), num_rows);
  }
  std::map<int64_t, PlayedGame> games;
  int64_t num_moves = 0;
  for (const PlayedGame &game : selfplay.finished()) {
    num_moves += static_cast<int64_t>(game.moves.size());
    games.emplace(game.number, game);
  }
  CHECK(num_moves == selfplay.num_moves());
  return games;
}

bool is_same(const PlayedGame &a, const PlayedGame &b) {
  return a.moves == b.moves && a.values_white == b.values_white && a.policy_ends == b.policy_ends &&
         a.policy_moves == b.policy_moves && a.policy_shares == b.policy_shares &&
         a.winner == b.winner && a.resignable_from == b.resignable_from &&
         a.has_resigned == b.has_resigned && a.is_held_out == b.is_held_out;
}

}  // namespace

TEST(games_depend_on_nothing_beside_them) {
  const GoGame go(Position(4), {2.5, true, 24}, GoPlanes::kZero);
  const NoGoGame nogo(4, NoGoPlanes::kNoGo);
  const HexGame hex(4, true);
  for (const Game *start : {static_cast<const Game *>(&go), static_cast<const Game *>(&nogo),
                            static_cast<const Game *>(&hex)})
    for (bool is_race : {true, false}) {
      const auto alone = play(*start, options(is_race), 9, 1, 1);
      CHECK(alone.size() == 9);
      for (const auto &[num_parallel, num_threads] :
           {std::pair(4, 1), std::pair(9, 3), std::pair(20, 2)}) {
        const auto beside = play(*start, options(is_race), 9, num_parallel, num_threads);
        CHECK(beside.size() == 9);
        for (const auto &[number, game] : beside) CHECK(is_same(game, alone.at(number)));
      }
    }
}

TEST(a_played_game_fits_together) {
  for (const auto &[number, game] : play(NoGoGame(5, NoGoPlanes::kNoGo), options(true), 12, 5, 1)) {
    CHECK(game.values_white.size() == game.moves.size() &&
          game.policy_ends.size() == game.moves.size());
    CHECK(game.policy_ends.back() == static_cast<int64_t>(game.policy_moves.size()));
    NoGoGame replayed(5, NoGoPlanes::kNoGo);
    int64_t begin = 0;
    for (std::size_t i = 0; i < game.moves.size(); ++i) {
      float total = 0;
      for (int64_t place = begin; place < game.policy_ends[i]; ++place) {
        CHECK(replayed.legality(game.policy_moves[place]) == Legality::kLegal);
        total += game.policy_shares[place];
      }
      CHECK(begin == game.policy_ends[i] || std::abs(total - 1) < 1e-5f);
      begin = game.policy_ends[i];
      CHECK(replayed.legality(game.moves[i]) == Legality::kLegal);
      replayed.play(game.moves[i]);
    }
    CHECK(replayed.is_over() != game.has_resigned && !(game.has_resigned && game.is_held_out));
    // the player without a move has lost, or the one that resigned
    CHECK(game.winner == opponent(replayed.to_play()));
  }
}

TEST(games_begin_with_random_moves_that_are_no_targets) {
  SelfPlayOptions with_random_moves = options(true);
  with_random_moves.most_random_moves = 3;
  with_random_moves.full_share = 1;  // so that every other position is a target
  const GoGame start(Position(3), {2.5, true, 18}, GoPlanes::kZero);
  std::map<int64_t, int> numbers;
  for (const auto &[number, game] : play(start, with_random_moves, 60, 7, 1)) {
    const auto first_target = std::find_if(game.policy_ends.begin(), game.policy_ends.end(),
                                           [](int64_t end) { return end > 0; });
    const auto num_random = first_target - game.policy_ends.begin();
    ++numbers[num_random];
    for (int64_t i = 0; i < num_random; ++i)
      CHECK(game.values_white[i] == 0.5f && game.moves[i] != start.shape().pass());
    CHECK(std::adjacent_find(first_target, game.policy_ends.end()) == game.policy_ends.end());
  }
  CHECK(numbers.size() == 4 && numbers.rbegin()->first == 3);
  for (const auto &[_, count] : numbers) CHECK(count >= 5);  // of 15 expected
}

TEST(a_victim_has_every_other_move_and_no_targets) {
  SelfPlayOptions against_victim = options(true);
  against_victim.full_share = 1;
  against_victim.resign_value = -1;
  against_victim.num_victim_simulations = 5;
  const GoGame start(Position(3), {2.5, true, 18}, GoPlanes::kZero);
  for (const auto &[number, game] : play(start, against_victim, 10, 4, 1)) {
    int64_t begin = 0;
    for (std::size_t i = 0; i < game.moves.size(); ++i) {
      CHECK((game.policy_ends[i] > begin) == (static_cast<int64_t>(i % 2) == number % 2));
      begin = game.policy_ends[i];
    }
  }
}

TEST(refused_answers_change_nothing) {
  const NoGoGame start(4, NoGoPlanes::kNoGo);
  SelfPlay selfplay(start, options(true), 0, 3, 3, 1);
  std::vector<float> planes(3 * start.shape().planes.num_numbers()), policy(3 * 16, 1.0f / 16),
      values(3, 0.5f);
  CHECK(throws<Error>("call collect()", [&] { selfplay.answer(policy.data(), values.data(), 3); }));
  CHECK(selfplay.collect(planes.data()) == 3);
  CHECK(throws<Error>("call answer()", [&] { selfplay.collect(planes.data()); }));
  CHECK(throws<Error>("3 evaluations", [&] { selfplay.answer(policy.data(), values.data(), 2); }));
  values[2] = 1.5f;
  CHECK(throws<Error>("from 0 to 1", [&] { selfplay.answer(policy.data(), values.data(), 3); }));
  values[2] = 0.5f;
  selfplay.answer(policy.data(), values.data(), 3);
  CHECK(selfplay.collect(planes.data()) == 3);
}
