// Which child a playout goes to (docs/maintainer/search.md has the formula).
//
// Source: Silver et al., "Mastering the game of Go without human knowledge", 2017, with first-play
// urgency and growth of c_puct as in KataGo (Wu, "Accelerating self-play learning in Go", 2019).
#pragma once

#include "search/nodes.hpp"

namespace golois {

struct PuctOptions {
  // exploration = c_puct + c_puct_log · ln((visits + c_puct_base) / c_puct_base)
  double c_puct;
  double c_puct_log;
  double c_puct_base;
  // an unvisited move is worth its parent minus this · √(prior mass visited)
  double fpu_reduction;
  double root_fpu_reduction;  // the same at the root
  double virtual_loss;        // losses that a playout under way counts for
};

// The child of an expanded node that a playout takes, or Node::kNone if that is the likeliest move
// without a child.
int best_child(const Nodes &nodes, int node, const PuctOptions &options);

}  // namespace golois
