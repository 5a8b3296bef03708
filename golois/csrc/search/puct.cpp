#include "search/puct.hpp"

#include <algorithm>
#include <cmath>

namespace golois {

namespace {

double exploration(const Node &node, const PuctOptions &options) {
  return options.c_puct + options.c_puct_log * std::log((node.num_visits + options.c_puct_base) /
                                                        options.c_puct_base);
}

// The mean value for a colour, where each playout under way counts as so many losses of it.
double value_under_way(const Node &node, Colour colour, double virtual_loss) {
  const double losses = virtual_loss * node.num_pending, num_visits = node.num_visits + losses;
  return num_visits == 0 ? 0 : (node.value_sum_for(colour) - losses) / num_visits;
}

}  // namespace

int best_child(const Nodes &nodes, int number, const PuctOptions &options) {
  const Node &node = nodes[number];
  // without the first and the present one
  const int num_playouts_below = node.num_visits + node.num_pending - 2;
  const double weight = exploration(node, options) * std::sqrt(std::max(1, num_playouts_below));

  int best = Node::kNone;
  double best_score = 0, visited_mass = 0;
  for (int i = node.first_child; i != Node::kNone; i = nodes[i].next_sibling) {
    const Node &child = nodes[i];
    const double score = value_under_way(child, node.to_play, options.virtual_loss) +
                         weight * child.prior / (1 + child.num_visits + child.num_pending);
    visited_mass += child.prior;
    if (best == Node::kNone || score > best_score) {
      best = i;
      best_score = score;
    }
  }
  if (node.num_edges == 0) return best;

  const double reduction =
      number == Nodes::kRoot ? options.root_fpu_reduction : options.fpu_reduction;
  const double urgency = node.value_for(node.to_play) - reduction * std::sqrt(visited_mass);
  return urgency + weight * node.edges[0].prior() > best_score ? Node::kNone : best;
}

}  // namespace golois
