// The C surface of Tree.
#include "abi_handles.hpp"
#include "golois.h"
#include "status.hpp"
#include "tree.hpp"

using golois::guarded;

struct golois_tree {
  golois::Tree tree;
};

golois_tree *golois_tree_create(const golois_board *root, const golois_search_options *options) {
  golois_tree *handle = nullptr;
  const int32_t status = guarded([&] {
    const golois::SearchOptions search{
        options->komi,          options->c_puct,       options->c_puct_log, options->c_puct_base,
        options->fpu_reduction, options->virtual_loss, options->seed,       options->random_symmetry};
    handle = new golois_tree{golois::Tree(root->position, search)};
  });
  return status == golois::kOk ? handle : nullptr;
}

void golois_tree_destroy(golois_tree *tree) { delete tree; }

int32_t golois_tree_select(golois_tree *tree, int32_t max_leaves, float *planes,
                           int32_t *num_leaves) {
  return guarded([&] { *num_leaves = tree->tree.select(max_leaves, planes); });
}

int32_t golois_tree_apply(golois_tree *tree, const float *policy, const float *value_white,
                          int32_t num_leaves) {
  return guarded([&] { tree->tree.apply(policy, value_white, num_leaves); });
}

int32_t golois_tree_advance(golois_tree *tree, int32_t point) {
  return guarded([&] { tree->tree.advance(point); });
}

int32_t golois_tree_num_visits(const golois_tree *tree) { return tree->tree.num_visits(); }

int32_t golois_tree_num_candidates(const golois_tree *tree) { return tree->tree.num_candidates(); }

double golois_tree_root_value_to_play(const golois_tree *tree) {
  return tree->tree.root_value_to_play();
}

int32_t golois_tree_root_visits(const golois_tree *tree, int32_t *num_visits, int64_t capacity) {
  return guarded([&] {
    golois::require_capacity(capacity, golois::kMaxPoints + 1);
    tree->tree.root_visits(num_visits);
  });
}

int32_t golois_tree_best_move(const golois_tree *tree, int32_t *point) {
  return guarded([&] { *point = tree->tree.best_move(); });
}
