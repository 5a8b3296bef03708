#include "search/nodes.hpp"

#include <algorithm>
#include <cmath>

namespace golois {

void Nodes::reset(Colour to_play) {
  arena_.clear();
  nodes_.assign(1, Node{});
  nodes_[kRoot].to_play = to_play;
}

void Nodes::reset(const Nodes &from, int root) {
  const auto copied = [&](const auto *first, int size) {
    using Element = std::remove_cv_t<std::remove_reference_t<decltype(*first)>>;
    auto *copy = arena_.allocate<Element>(size);
    std::copy_n(first, size, copy);
    return copy;
  };
  arena_.clear();
  nodes_.assign(1, from[root]);
  nodes_[kRoot].parent = nodes_[kRoot].next_sibling = Node::kNone;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].edges = copied(nodes_[i].edges, nodes_[i].num_edges);
    nodes_[i].readings = copied(nodes_[i].readings, nodes_[i].num_readings);
    int child = nodes_[i].first_child;  // still its number in `from`
    if (child != Node::kNone) nodes_[i].first_child = static_cast<int32_t>(nodes_.size());
    while (child != Node::kNone) {
      nodes_.push_back(from[child]);
      child = nodes_.back().next_sibling;
      nodes_.back().parent = static_cast<int32_t>(i);
      if (child != Node::kNone) nodes_.back().next_sibling = static_cast<int32_t>(nodes_.size());
    }
  }
}

int Nodes::add_child(int parent_number, int edge) {
  const auto number = static_cast<int32_t>(nodes_.size());
  Node &parent = nodes_[parent_number];
  Node child;
  child.parent = parent_number;
  child.next_sibling = parent.first_child;
  child.prior = parent.edges[edge].prior();
  child.move = parent.edges[edge].move();
  child.to_play = opponent(parent.to_play);
  parent.first_child = number;
  parent.edges[edge] = parent.edges[--parent.num_edges];
  bring_likeliest_to_front(parent.edges, parent.num_edges);
  nodes_.push_back(child);
  return number;
}

int Nodes::find_child(int node, int move) const {
  int child = nodes_[node].first_child;
  while (child != Node::kNone && nodes_[child].move != move) child = nodes_[child].next_sibling;
  return child;
}

void Nodes::set_priors(int number, const std::array<float, kMaxPoints + 1> &priors) {
  const Node &node = nodes_[number];
  for (int child = node.first_child; child != Node::kNone; child = nodes_[child].next_sibling)
    nodes_[child].prior = priors[nodes_[child].move];
  for (int i = 0; i < node.num_edges; ++i)
    node.edges[i] = Edge(node.edges[i].move(), priors[node.edges[i].move()]);
  bring_likeliest_to_front(node.edges, node.num_edges);
}

bool Nodes::is_consistent() const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (!is_consistent(static_cast<int>(i))) return false;
  return true;
}

bool Nodes::is_consistent(int number) const {
  const Node &node = nodes_[number];
  const bool is_expanded = node.state == Node::State::kExpanded;
  bool in_order = node.num_pending == 0 && node.state != Node::State::kPending;
  int num_visits = is_expanded ? 1 : 0;
  double priors = 0;
  for_each_child(number, [&](const Node &child) {
    in_order &= child.parent == number && child.to_play == opponent(node.to_play);
    num_visits += child.num_visits;
    priors += child.prior;
  });
  for (int i = 0; i < node.num_edges; ++i) {
    in_order &= !(node.edges[0] < node.edges[i]);
    priors += node.edges[i].prior();
  }
  if (node.state == Node::State::kFinished) return in_order && node.num_edges == 0;
  return in_order && node.num_visits == num_visits && std::abs(priors - is_expanded) < 1e-4;
}

void bring_likeliest_to_front(Edge *edges, int num_edges) {
  if (num_edges == 0) return;
  Edge likeliest = edges[0], *place = edges;
  for (Edge *edge = edges + 1; edge != edges + num_edges; ++edge)
    if (likeliest < *edge) likeliest = *(place = edge);
  std::swap(*edges, *place);
}

}  // namespace golois
