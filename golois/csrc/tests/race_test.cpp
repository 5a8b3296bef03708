#include "search/race.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "games/nogo.hpp"
#include "kit/error.hpp"
#include "search/tree.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

constexpr int kNumPoints = 25;

// Answers every leaf with the same policy and an even value.
struct Bench {
  explicit Bench(int num_rows)
      : tree(NoGoGame(5, NoGoPlanes::kNoGo),
             {{1.1, 0.45, 500.0, 0.2, 0.2, 0.1}, {1, 0, 1}, 0, false, 1}),
        planes(num_rows * tree.shape().planes.num_numbers()),
        policy(num_rows * kNumPoints, 1.0f / kNumPoints),
        values(num_rows, 0.5f) {}

  void apply(int num_leaves) { tree.apply(policy.data(), values.data(), num_leaves); }
  std::vector<int32_t> visits() const {
    std::vector<int32_t> visits(kNumPoints + 1);
    tree.root_visits(visits.data());
    return visits;
  }

  Tree tree;
  std::vector<float> planes, policy, values;
};

}  // namespace

TEST(the_lead_of_a_race_gets_most_visits) {
  for (int num_rows : {1, 8}) {
    Bench bench(num_rows);
    bench.apply(bench.tree.select(1, kNoPoint, bench.planes.data()));
    std::vector<double> noise(kNumPoints + 1);
    std::iota(noise.begin(), noise.end(), 0.0);  // without values, the order of the moves
    bench.tree.start_race({16, 50, 1}, noise);
    while (bench.tree.num_visits() < 65)
      bench.apply(
          bench.tree.select_in_race(num_rows, 65 - bench.tree.num_visits(), bench.planes.data()));
    const std::vector<int32_t> visits = bench.visits();
    std::vector<int32_t> expected(kNumPoints + 1);
    for (int place = 0; place < 16; ++place)
      expected[kNumPoints - 1 - place] = place < 2 ? 15 : place < 4 ? 7 : place < 8 ? 3 : 1;
    CHECK(visits == expected);
    CHECK(bench.tree.race_winner() == kNumPoints - 1);
    CHECK(bench.tree.is_consistent());
  }
}

TEST(an_improved_policy_sums_to_one) {
  Bench bench(1);
  bench.apply(bench.tree.select(1, kNoPoint, bench.planes.data()));
  bench.tree.start_race({16, 50, 1}, {});
  const ImprovedPolicy policy = bench.tree.improved_policy();
  CHECK(policy.moves.size() == kNumPoints && policy.value_to_play == 0);
  CHECK(std::abs(std::accumulate(policy.shares.begin(), policy.shares.end(), 0.0) - 1) < 1e-12);
}

TEST(moves_without_visits_are_worth_the_mean_of_the_root_and_the_moves_seen) {
  Bench bench(1);
  bench.apply(bench.tree.select(1, kNoPoint, bench.planes.data()));  // even
  bench.tree.start_race({16, 50, 1}, {});
  bench.values = {1};  // White wins, and Black is to play at the root
  bench.apply(bench.tree.select_in_race(1, 16, bench.planes.data()));
  // One move is worth −1, so the others are (0 − 1) / 2; the one has next to no share.
  CHECK(std::abs(bench.tree.improved_policy().value_to_play + 0.5) < 1e-3);
}

TEST(a_race_needs_an_evaluated_root_and_ends_with_it) {
  Bench bench(1);
  CHECK(throws<Error>("no evaluation", [&] { bench.tree.start_race({16, 50, 1}, {}); }));
  bench.apply(bench.tree.select(1, kNoPoint, bench.planes.data()));
  CHECK(throws<Error>("no race", [&] { bench.tree.race_winner(); }));
  bench.tree.start_race({16, 50, 1}, {});
  CHECK(bench.tree.race_winner() == 0);
  bench.tree.forget_nodes();
  CHECK(throws<Error>("no race", [&] { bench.tree.race_winner(); }) &&
        bench.tree.num_visits() == 0);
}

TEST(gumbel_noise_has_the_mean_and_variance_of_its_distribution) {
  const std::vector<double> noise = gumbel_noise(40000, Rng(5));
  double sum = 0, sum_squares = 0;
  for (double number : noise) {
    sum += number;
    sum_squares += number * number;
  }
  const double mean = sum / noise.size(), variance = sum_squares / noise.size() - mean * mean;
  CHECK(std::abs(mean - 0.5772) < 0.03 && std::abs(variance - 1.6449) < 0.08);
}
