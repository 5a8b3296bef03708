// The C surface of Tree.
#include <algorithm>
#include <vector>

#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "search/tree.hpp"

using golois::guarded;

struct golois_tree {
  golois::Tree tree;
};

golois_tree *golois_tree_create(const golois_game *root, const golois_search_options *options) {
  golois_tree *handle = nullptr;
  const int32_t status = guarded([&] {
    handle = new golois_tree{golois::Tree(*root->game, golois::search_options(*options))};
  });
  return status == golois::kOk ? handle : nullptr;
}

void golois_tree_destroy(golois_tree *tree) { delete tree; }

int32_t golois_tree_select(golois_tree *tree, int32_t max_leaves, int32_t first_move,
                           float *planes) {
  int32_t num_leaves = -1;
  const int32_t status =
      guarded([&] { num_leaves = tree->tree.select(max_leaves, first_move, planes); });
  return status == golois::kOk ? num_leaves : -1;
}

int32_t golois_tree_apply(golois_tree *tree, const float *policy, const float *value_white,
                          int32_t num_leaves) {
  return guarded([&] { tree->tree.apply(policy, value_white, num_leaves); });
}

int32_t golois_tree_advance(golois_tree *tree, int32_t point) {
  return guarded([&] { tree->tree.advance(point); });
}

int32_t golois_tree_num_visits(const golois_tree *tree) { return tree->tree.num_visits(); }

int64_t golois_tree_num_cache_hits(const golois_tree *tree) { return tree->tree.num_cache_hits(); }

int32_t golois_tree_num_candidates(const golois_tree *tree) { return tree->tree.num_candidates(); }

double golois_tree_root_value_to_play(const golois_tree *tree) {
  return tree->tree.root_value_to_play();
}

int32_t golois_tree_root_visits(const golois_tree *tree, int32_t *num_visits, int64_t capacity) {
  return guarded([&] {
    golois::require_capacity(capacity, tree->tree.shape().pass() + 1);
    tree->tree.root_visits(num_visits);
  });
}

int32_t golois_tree_root_moves(const golois_tree *tree, int32_t *points, float *priors,
                               int32_t *num_visits, float *values_to_play, int64_t capacity) {
  return guarded([&] {
    const std::vector<golois::RootMove> moves = tree->tree.root_moves();
    golois::require_capacity(capacity, static_cast<int64_t>(moves.size()));
    for (const golois::RootMove &move : moves) {
      *points++ = move.point;
      *priors++ = move.prior;
      *num_visits++ = move.num_visits;
      *values_to_play++ = move.value_to_play;
    }
  });
}

int32_t golois_tree_principal_variation(const golois_tree *tree, int32_t first_move,
                                        int32_t *points, int64_t capacity, int32_t *num_points) {
  return guarded([&] {
    const std::vector<golois::Point> line = tree->tree.principal_variation(first_move, capacity);
    std::copy(line.begin(), line.end(), points);
    *num_points = static_cast<int32_t>(line.size());
  });
}

bool golois_tree_is_consistent(const golois_tree *tree) { return tree->tree.is_consistent(); }

int32_t golois_tree_best_move(const golois_tree *tree, int32_t *point) {
  return guarded([&] { *point = tree->tree.best_move(); });
}

int32_t golois_tree_start_race(golois_tree *tree, const golois_race_options *options,
                               const double *noise, int64_t capacity) {
  return guarded([&] {
    const int num_moves = tree->tree.shape().pass() + 1;
    if (noise != nullptr) golois::require_capacity(capacity, num_moves);
    tree->tree.start_race(
        golois::race_options(*options),
        noise == nullptr ? std::vector<double>() : std::vector<double>(noise, noise + num_moves));
  });
}

int32_t golois_tree_select_in_race(golois_tree *tree, int32_t max_leaves, int32_t num_left,
                                   float *planes) {
  int32_t num_leaves = -1;
  const int32_t status =
      guarded([&] { num_leaves = tree->tree.select_in_race(max_leaves, num_left, planes); });
  return status == golois::kOk ? num_leaves : -1;
}

int32_t golois_tree_race_winner(golois_tree *tree, int32_t *point) {
  return guarded([&] { *point = tree->tree.race_winner(); });
}

int32_t golois_tree_improved_policy(golois_tree *tree, double *shares, int64_t capacity,
                                    double *value_to_play) {
  return guarded([&] {
    const int num_moves = tree->tree.shape().pass() + 1;
    golois::require_capacity(capacity, num_moves);
    const golois::ImprovedPolicy policy = tree->tree.improved_policy();
    std::fill_n(shares, num_moves, 0.0);
    for (std::size_t i = 0; i < policy.moves.size(); ++i)
      shares[policy.moves[i]] = policy.shares[i];
    *value_to_play = policy.value_to_play;
  });
}
