#include "search/tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "games.hpp"
#include "games/go.hpp"
#include "games/hex.hpp"
#include "games/nogo.hpp"
#include "kit/error.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

constexpr int kBatch = 8;

SearchOptions options() {
  return {{1.1, 0.45, 500.0, 0.2, 0.2, 1.0}, {1.0, 0.0, 10.83}, 4096, true, 1};
}

GoGame arena(const Position &position = Position(kMaxSize)) {
  return GoGame(position, {7.5, false, 0}, GoPlanes::kCourse);
}

// Evaluates each leaf with policies and values that depend on its planes alone.
void search(Tree &tree, int num_batches, int first_move = kNoPoint) {
  const int row_size = tree.shape().planes.num_numbers(), policy_size = tree.shape().policy_size;
  std::vector<float> planes(kBatch * row_size), policy(kBatch * policy_size), values(kBatch);
  for (int i = 0; i < num_batches; ++i) {
    const int num_leaves = tree.select(kBatch, first_move, planes.data());
    for (int leaf = 0; leaf < num_leaves; ++leaf) {
      const float *first = &planes[leaf * row_size];
      const auto sum = static_cast<uint64_t>(std::accumulate(first, first + row_size, 0.0f));
      Rng rng(sum);
      float *priors = &policy[leaf * policy_size];
      std::generate_n(priors, policy_size, [&] { return static_cast<float>(rng.below(100)); });
      const float total = std::accumulate(priors, priors + policy_size, 0.0f);
      std::for_each(priors, priors + policy_size, [&](float &prior) { prior /= total; });
      values[leaf] = static_cast<float>(rng.below(101)) / 100.0f;
    }
    tree.apply(policy.data(), values.data(), num_leaves);
    CHECK(tree.is_consistent());
  }
}

std::vector<int32_t> visits_of(const Tree &tree) {
  std::vector<int32_t> visits(tree.shape().pass() + 1);
  tree.root_visits(visits.data());
  return visits;
}

std::vector<float> priors_of(const Tree &tree) {
  std::vector<float> priors(tree.shape().pass() + 1);
  for (const RootMove &move : tree.root_moves()) priors[move.point] = move.prior;
  return priors;
}

}  // namespace

TEST(the_visits_of_the_moves_add_up) {
  Tree tree(arena(), options());
  search(tree, 40);
  const std::vector<int32_t> visits = visits_of(tree);
  CHECK(std::accumulate(visits.begin(), visits.end(), 0) == tree.num_visits() - 1);
  CHECK(visits[tree.best_move()] == *std::max_element(visits.begin(), visits.end()));
  CHECK(tree.root_value_to_play() >= -1 && tree.root_value_to_play() <= 1);
}

TEST(equal_seeds_give_equal_trees) {
  Tree first(arena(), options()), second(arena(), options());
  search(first, 30);
  search(second, 30);
  CHECK(visits_of(first) == visits_of(second) &&
        first.root_value_to_play() == second.root_value_to_play());
}

TEST(advancing_through_a_game_keeps_what_was_found) {
  Tree tree(arena(), options());
  for (int move = 0; move < 40; ++move) {
    search(tree, 4);
    const int best = tree.best_move(), below = visits_of(tree)[best];
    tree.advance(best);
    CHECK(tree.num_visits() == below && tree.is_consistent());
  }
}

TEST(a_first_move_gets_every_playout_but_the_roots_own) {
  Tree tree(arena(), options());
  search(tree, 10, 60);
  CHECK(tree.num_visits() > 10 && visits_of(tree)[60] == tree.num_visits() - 1);
  CHECK(throws<Error>("candidate of the root", [&] { search(tree, 1, -2); }));
}

TEST(the_principal_variation_follows_the_most_visited_moves) {
  Tree tree(arena(), options());
  CHECK(tree.root_moves().empty() && tree.principal_variation(kNoPoint, 16).empty());
  search(tree, 40);
  const std::vector<Point> line = tree.principal_variation(kNoPoint, 16);
  CHECK(line.size() > 1 && tree.principal_variation(line[0], 16) == line);
  for (Point move : line) {
    CHECK(tree.root_moves()[0].point == move && tree.best_move() == move);
    tree.advance(move);
  }
  CHECK(tree.principal_variation(kNoPoint, 16).empty());
}

TEST(only_a_roots_priors_are_shaped) {
  SearchOptions noisy = options();
  noisy.root_policy = {1.5, 0.25, 10.83};
  Tree plain(arena(), options()), shaped(arena(), noisy), again(arena(), noisy);
  for (Tree *tree : {&plain, &shaped, &again}) search(*tree, 1);
  CHECK(priors_of(shaped) == priors_of(again) && priors_of(shaped) != priors_of(plain));
  for (Tree *tree : {&plain, &shaped}) search(*tree, 10, 60);
  CHECK(shaped.is_consistent());
  shaped.advance(60);
  plain.advance(60);
  CHECK(shaped.is_consistent() && priors_of(shaped) != priors_of(plain));
}

TEST(finished_games_are_counted_without_an_evaluation) {
  Position position(kMaxSize);
  position.play_unchecked(position.pass(), kBlack);
  position.play_unchecked(position.pass(), kWhite);
  Tree tree(arena(position), options());
  std::vector<float> planes(kBatch * tree.shape().planes.num_numbers());
  CHECK(tree.select(kBatch, kNoPoint, planes.data()) == 0 && tree.num_visits() == kBatch);
}

TEST(bad_evaluations_are_refused_and_forgotten) {
  Tree tree(arena(), options());
  std::vector<float> planes(kBatch * tree.shape().planes.num_numbers()),
      policy(kMaxPoints, 1.0f / kMaxPoints);
  for (float value : {-0.1f, 1.1f, std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(tree.select(kBatch, kNoPoint, planes.data()) == 1);
    CHECK(throws<Error>("the value must be from 0 to 1",
                        [&] { tree.apply(policy.data(), &value, 1); }));
    CHECK(tree.num_visits() == 0 && tree.is_consistent());
  }
  CHECK(throws<Error>("not legal", [&] { tree.advance(-5); }));
}

TEST(every_game_is_searched_to_its_end) {
  const GoGame go(Position(3), {0.5, true, 18}, GoPlanes::kZero);
  const NoGoGame nogo(3, NoGoPlanes::kNoGo);
  const HexGame hex(3, true);
  for (const Game *game : {static_cast<const Game *>(&go), static_cast<const Game *>(&nogo),
                           static_cast<const Game *>(&hex)}) {
    Tree tree(*game, options());
    const std::unique_ptr<Game> played = game->clone();
    while (!played->is_over()) {
      search(tree, 6);
      const int move = tree.best_move();
      CHECK(played->candidates().contains(move));
      tree.advance(move);
      played->play(move);
    }
    std::vector<float> planes(kBatch * tree.shape().planes.num_numbers());
    CHECK(tree.select(kBatch, kNoPoint, planes.data()) == 0);
    const double sign = played->to_play() == kWhite ? 1 : -1;
    CHECK(tree.root_value_to_play() == sign * (2 * played->outcome_white() - 1));
  }
}
