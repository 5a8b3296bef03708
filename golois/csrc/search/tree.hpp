// A search tree: PUCT decides which positions want an evaluation. They go out in batches, and their
// evaluations come back in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "games/game.hpp"
#include "search/evaluation_cache.hpp"
#include "search/nodes.hpp"
#include "search/puct.hpp"
#include "search/race.hpp"
#include "search/root_policy.hpp"

namespace golois {

struct SearchOptions {
  PuctOptions puct;
  RootPolicyOptions root_policy;
  int cache_positions;   // evaluations kept; 0 for none
  bool random_symmetry;
  uint64_t seed;         // of symmetries and noise
};

// A candidate of the root; value_to_play is its mean for the root's side to move, NaN without a
// visit.
struct RootMove {
  Point point;
  float prior;
  int32_t num_visits;
  float value_to_play;
};

// Throws Error unless a policy and a value are what a network may answer.
void check_evaluation(const float *policy, int policy_size, float value_white);

class Tree {
 public:
  Tree(const Game &root, const SearchOptions &options);

  const GameShape &shape() const { return game_->shape(); }

  // Runs up to max_leaves playouts down to positions that want an evaluation, and writes their
  // planes one after the other. Returns how many; playouts that end in a finished game, or in a
  // position of the cache, are counted at once. apply() must follow unless it is 0. Every playout
  // begins with first_move, unless that is kNoPoint or the root still wants its own evaluation;
  // throws Error for a move that is not a candidate.
  int select(int max_leaves, int first_move, float *planes);

  // Takes the evaluations of the last select(): policy [n, policy_size] in the symmetry of the
  // planes, value_white [n] in [0, 1]. Throws Error, and forgets those playouts, when a prior is
  // negative, a policy does not sum to 1, or a value is outside [0, 1].
  void apply(const float *policy, const float *value_white, int num_leaves);

  // Begins a race between the root's moves; it lasts until the next one, a new root, or evaluations
  // that apply() refuses. `noise` as in Race. Throws Error before the root's evaluation.
  void start_race(const RaceOptions &options, const std::vector<double> &noise);

  // As select(), where the race says how each playout begins. `num_left` of them (1 or more) are
  // left in all, and leaves whose values decide who goes on are the last ones of a batch. Throws
  // Error without a race.
  int select_in_race(int max_leaves, int num_left, float *planes);

  // The race so far; throws Error without one.
  int race_winner() { return race().winner(nodes_); }
  ImprovedPolicy improved_policy() { return race().improved_policy(nodes_); }

  // Makes the move's position the root and keeps what was found below it. Throws Error for an
  // illegal move.
  void advance(int point);

  // Forgets everything but the root's position and the cache.
  void forget_nodes();

  // What root policies are made of from the next root on.
  void set_root_policy(const RootPolicyOptions &options) { options_.root_policy = options; }

  int num_visits() const { return nodes_[Nodes::kRoot].num_visits; }

  // Playouts since the tree was made that an evaluation of the cache answered.
  int64_t num_cache_hits() const { return num_cache_hits_; }

  // How many moves the root has to choose from; 0 before its evaluation.
  int num_candidates() const;

  // The mean value of the root for the side to move, −1 … 1; 0 before the first playout.
  double root_value_to_play() const;

  // The root's candidates, the most visited first, the likelier one of equals before the other;
  // none before its evaluation.
  std::vector<RootMove> root_moves() const;

  // Visits of each of the root's moves, n·n and the pass.
  void root_visits(int32_t *num_visits) const;

  // The first of root_moves(); throws Error before the root's evaluation.
  int best_move() const;

  // The most visited line, at most max_length moves. It begins with first_move, unless that is
  // kNoPoint, and ends before the first move without a visit. Throws Error for a first move that is
  // not a candidate.
  std::vector<Point> principal_variation(int first_move, int64_t max_length) const;

  // As Nodes::is_consistent(), between apply() and the next select().
  bool is_consistent() const { return nodes_.is_consistent(); }

 private:
  static constexpr int kRoot = Nodes::kRoot, kNone = Node::kNone;
  using State = Node::State;

  struct Leaf {
    int32_t node;
    int32_t symmetry;
    uint64_t key;    // in the cache
    PointSet moves;
  };

  enum class Outcome { kLeaf, kCounted, kCollision };

  void require_answers(const char *call) const;
  int run_playouts(int max_leaves, int first_move, Race *race, float *planes);
  Outcome run_playout(int first_move, float *planes);
  int descend(int first_move);
  int child_by_puct(int node);
  int root_child(int move);
  int root_edge(int move) const;
  int most_visited_child(int node) const;
  void go_to(int node);
  void take_back(std::size_t num_moves);
  Outcome look_at_leaf(int node, float *planes);
  void write_leaf_planes(const Leaf &leaf, float *planes);
  void expand(const Leaf &leaf, const float *policy);
  void shape_root();
  Race &race();
  void back_up(int node, double value_white);
  void forget(int node);

  SearchOptions options_;
  EvaluationCache cache_;
  int64_t num_cache_hits_ = 0;
  Nodes nodes_, spare_;
  std::optional<Race> race_;
  std::unique_ptr<Game> game_;        // at the last node of line_, or at the root
  std::vector<int32_t> line_, path_;  // nodes below the root, each the child of the one before
  std::vector<Leaf> leaves_;
  std::vector<int32_t> collisions_;
  std::vector<LadderReading> readings_;
};

}  // namespace golois
