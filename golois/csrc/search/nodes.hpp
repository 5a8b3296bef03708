// The nodes of a search tree: one pool; moves without a node are stored separately from those with
// one.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "go/ladder_memory.hpp"
#include "search/arena.hpp"

namespace golois {

// A move that has no node yet, and its prior. The greater of two is the likelier, of equals the
// lower point.
class Edge {
 public:
  Edge(Point move, float prior) {
    prior += 0.0f;  // −0 becomes 0; of two numbers from 0 on, the greater has the greater bits
    uint32_t bits;
    std::memcpy(&bits, &prior, sizeof bits);
    rank_ = uint64_t{bits} << 32 | static_cast<uint32_t>(kPass19 - move);
  }

  Point move() const { return static_cast<Point>(kPass19 - static_cast<int>(rank_ & UINT32_MAX)); }
  float prior() const {
    const auto bits = static_cast<uint32_t>(rank_ >> 32);
    float prior;
    std::memcpy(&prior, &bits, sizeof prior);
    return prior;
  }
  bool operator<(const Edge &other) const { return rank_ < other.rank_; }

 private:
  uint64_t rank_;
};

struct Node {
  enum class State : uint8_t { kNew, kPending, kExpanded, kFinished };
  static constexpr int32_t kNone = -1;

  double value_white_sum = 0;
  int32_t num_visits = 0;
  int32_t num_pending = 0;  // playouts under way
  int32_t parent = kNone, first_child = kNone, next_sibling = kNone;
  float prior = 0;
  Edge *edges = nullptr;  // the likeliest first, the others in any order
  const LadderReading *readings = nullptr;
  int16_t num_edges = 0, num_readings = 0;
  Point move = kNoPoint;  // leads here
  Colour to_play = kEmpty;
  State state = State::kNew;

  // The sum of the visits' values for a colour, each −1 … 1. All other values for a side are
  // derived from it.
  double value_sum_for(Colour colour) const {
    const double for_white = 2 * value_white_sum - num_visits;
    return colour == kWhite ? for_white : -for_white;
  }

  // The mean value for a colour; 0 without visits.
  double value_for(Colour colour) const {
    return num_visits == 0 ? 0 : value_sum_for(colour) / num_visits;
  }
};

static_assert(sizeof(Node) <= 64);

class Nodes {
 public:
  static constexpr int kRoot = 0;

  Node &operator[](int node) { return nodes_[node]; }
  const Node &operator[](int node) const { return nodes_[node]; }

  // Forgets everything but a new root.
  void reset(Colour to_play);

  // Copies a node of another pool, with its subtree, as the root.
  void reset(const Nodes &from, int root);

  // Gives a node a move's child, from one of its edges; returns the child's number.
  int add_child(int parent, int edge);

  // The child of a node that a move leads to, or Node::kNone.
  int find_child(int node, int move) const;

  // Gives all moves of a node new priors, by their points.
  void set_priors(int node, const std::array<float, kMaxPoints + 1> &priors);

  // An array that lasts until reset().
  template <typename Element>
  Element *allocate(int size) {
    return arena_.allocate<Element>(size);
  }

  template <typename Visit>
  void for_each_child(int node, Visit visit) const {
    for (int child = nodes_[node].first_child; child != Node::kNone;
         child = nodes_[child].next_sibling)
      visit(nodes_[child]);
  }

  // True if visits and priors add up, no playout is under way, and links and edges are in order;
  // for tests.
  bool is_consistent() const;

 private:
  bool is_consistent(int node) const;

  std::vector<Node> nodes_;
  Arena arena_;
};

// Brings the greatest edge to the front.
void bring_likeliest_to_front(Edge *edges, int num_edges);

}  // namespace golois
