// PUCT over a tree of nodes in one pool. Leaves go out in batches, evaluations come back in the same order.
//
// Source: Silver et al., "Mastering the game of Go without human knowledge", 2017, with first-play urgency and growth of
// c_puct as in KataGo (Wu, "Accelerating self-play learning in Go", 2019). docs/search.md draws the sign of the values.
#pragma once

#include <cstdint>
#include <vector>

#include "features.hpp"
#include "position.hpp"

namespace golois {

struct SearchOptions {
  double komi;
  double c_puct;                // exploration = c_puct + c_puct_log · ln((visits + c_puct_base) / c_puct_base)
  double c_puct_log;
  double c_puct_base;
  double fpu_reduction;         // an unvisited move is worth its parent minus this · √(prior mass visited)
  double virtual_loss;          // losses that a playout under way counts for
  uint64_t seed;                // of the symmetries
  bool random_symmetry;
};

class Tree {
 public:
  struct Edge {
    float prior;
    int32_t child;
    Point move;
  };

  // The root's board must be 19×19.
  Tree(const Position &root, const SearchOptions &options);

  // Runs up to max_leaves playouts down to positions that want an evaluation, and writes their planes one after the other.
  // Returns how many; playouts that end in a finished game are counted at once. apply() must follow unless it is 0.
  int select(int max_leaves, float *planes);

  // Takes the evaluations of the last select(): policy [n, 361] in the symmetry of the planes, value_white [n] in [0, 1].
  // Throws Error, and forgets those playouts, when a number is not finite, a prior negative or a value outside [0, 1].
  void apply(const float *policy, const float *value_white, int num_leaves);

  // Makes the move's position the root and keeps what was found below it. Throws Error for an illegal move.
  void advance(int point);

  int num_visits() const { return nodes_[kRoot].num_visits; }

  // How many moves the root has to choose from; 0 before its evaluation.
  int num_candidates() const { return nodes_[kRoot].num_edges; }

  // The mean value of the root for the side to move, −1 … 1; 0 before the first playout.
  double root_value_to_play() const;

  // Visits of each of the root's moves, 361 and the pass.
  void root_visits(int32_t *num_visits) const;

  // The most visited move, the likelier one of equals; a pass if the root has no other candidate.
  int best_move() const;

 private:
  static constexpr int kRoot = 0, kNoNode = -1;

  enum class State : uint8_t { kNew, kPending, kExpanded, kFinished };

  // Edges first_edge … first_edge + num_edges − 1: moves without a child, the likeliest first, then those with one.
  struct Node {
    double value_white_sum = 0;
    int32_t num_visits = 0;
    int32_t num_pending = 0;
    int32_t first_edge = 0;
    int16_t num_edges = 0;
    int16_t num_children = 0;
    Colour to_play = kBlack;
    State state = State::kNew;
  };

  struct Leaf {
    std::vector<int32_t> path;  // nodes from the root to the leaf
    std::vector<Point> moves;   // candidates at the leaf
    int symmetry;
  };

  enum class Outcome { kLeaf, kFinished, kCollision };

  Outcome run_playout(float *planes);
  int best_edge(int node) const;
  int child_of(int node, int edge);
  void bring_likeliest_to_front(const Node &node);
  bool finish(int node, const Position &position);
  void prepare_leaf(int node, float *planes);
  void expand(int node, const Leaf &leaf, const float *policy);
  void back_up(const std::vector<int32_t> &path, double value_white);
  void forget(const std::vector<int32_t> &path);
  double exploration(const Node &node) const;
  double value_for(const Node &node, Colour colour) const;
  double value_under_way(const Node &node, Colour colour) const;
  int copy_subtree(const Tree &from, int node);

  SearchOptions options_;
  Position root_, scratch_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<int32_t> path_;
  std::vector<Leaf> leaves_;
  std::vector<std::vector<int32_t>> collisions_;
};

}  // namespace golois
