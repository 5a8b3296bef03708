#include "tree.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "candidates.hpp"
#include "error.hpp"
#include "rng.hpp"
#include "score.hpp"

namespace golois {

namespace {

double outcome_white(const Position &position, double komi) {
  const double lead_white = komi - score_black(position.board());
  return lead_white > 0 ? 1.0 : lead_white < 0 ? 0.0 : 0.5;
}

bool is_valid_evaluation(const float *policy, float value_white) {
  if (!(value_white >= 0.0f && value_white <= 1.0f)) return false;
  return std::all_of(policy, policy + kMaxPoints,
                     [](float prior) { return std::isfinite(prior) && prior >= 0.0f; });
}

// Orders moves without a child: by prior, then the lower point first.
bool less_likely(const Tree::Edge &a, const Tree::Edge &b) {
  return a.prior != b.prior ? a.prior < b.prior : a.move > b.move;
}

}  // namespace

Tree::Tree(const Position &root, const SearchOptions &options)
    : options_(options), root_(root), scratch_(root), nodes_(1) {
  if (root.size() != kMaxSize)
    throw Error("expected a 19×19 board at the root: got size " + std::to_string(root.size()));
  nodes_[kRoot].to_play = root.to_play();
}

int Tree::select(int max_leaves, float *planes) {
  if (!leaves_.empty()) throw Error("expected apply() before the next select()");
  int num_playouts = 0;
  for (int tries = 2 * max_leaves; tries > 0 && num_playouts < max_leaves; --tries)
    if (run_playout(planes + leaves_.size() * kPlanesSize) != Outcome::kCollision) ++num_playouts;
  for (const std::vector<int32_t> &path : collisions_) forget(path);
  collisions_.clear();
  return static_cast<int>(leaves_.size());
}

// One descent. A collision, with a leaf that already waits, keeps its virtual loss until select() ends.
Tree::Outcome Tree::run_playout(float *planes) {
  scratch_ = root_;
  path_.clear();
  int node = kRoot;
  while (true) {
    path_.push_back(node);
    ++nodes_[node].num_pending;
    if (nodes_[node].state != State::kExpanded) break;
    const int edge = best_edge(node);
    scratch_.play_unchecked(edges_[edge].move, nodes_[node].to_play);
    node = child_of(node, edge);
  }
  if (nodes_[node].state == State::kPending) {
    collisions_.push_back(path_);
    return Outcome::kCollision;
  }
  if (nodes_[node].state == State::kFinished || finish(node, scratch_)) {
    back_up(path_, outcome_white(scratch_, options_.komi));
    return Outcome::kFinished;
  }
  prepare_leaf(node, planes);
  return Outcome::kLeaf;
}

// Marks a node where two passes have ended the game.
bool Tree::finish(int node, const Position &position) {
  if (position.num_consecutive_passes() < 2) return false;
  nodes_[node].state = State::kFinished;
  return true;
}

void Tree::prepare_leaf(int node, float *planes) {
  nodes_[node].state = State::kPending;
  const uint64_t word = mix64(scratch_.board().key() ^ options_.seed);
  const int symmetry = options_.random_symmetry ? static_cast<int>(word % kNumSymmetries) : 0;
  leaves_.push_back({path_, candidate_moves(scratch_, options_.komi), symmetry});
  const PlanesInput input{scratch_.board_to_read(), scratch_.recent(), scratch_.to_play(), options_.komi};
  write_planes(plane_words(input), symmetry, planes);
}

void Tree::apply(const float *policy, const float *value_white, int num_leaves) {
  std::vector<Leaf> leaves;
  leaves.swap(leaves_);
  bool valid = num_leaves == static_cast<int>(leaves.size());
  for (int i = 0; valid && i < num_leaves; ++i)
    valid = is_valid_evaluation(policy + i * kMaxPoints, value_white[i]);
  if (!valid) {
    for (const Leaf &leaf : leaves) {
      nodes_[leaf.path.back()].state = State::kNew;
      forget(leaf.path);
    }
    throw Error("expected " + std::to_string(leaves.size()) +
                " evaluations with finite priors of 0 or more and values from 0 to 1");
  }
  for (int i = 0; i < num_leaves; ++i) {
    expand(leaves[i].path.back(), leaves[i], policy + i * kMaxPoints);
    back_up(leaves[i].path, value_white[i]);
  }
}

// Gives a leaf its edges, with priors normalised over its candidates.
void Tree::expand(int node, const Leaf &leaf, const float *policy) {
  const auto &to = kSymmetry[leaf.symmetry];
  const auto prior_of = [&](Point move) { return move < kMaxPoints ? policy[to[move]] : 1.0f; };
  double total = 0;
  for (Point move : leaf.moves) total += prior_of(move);

  nodes_[node].first_edge = static_cast<int32_t>(edges_.size());
  nodes_[node].num_edges = static_cast<int16_t>(leaf.moves.size());
  nodes_[node].state = State::kExpanded;
  for (Point move : leaf.moves) {
    const double prior = total > 0 ? prior_of(move) / total : 1.0 / leaf.moves.size();
    edges_.push_back({static_cast<float>(prior), kNoNode, move});
  }
  bring_likeliest_to_front(nodes_[node]);
}

// The edge that PUCT takes: one with a child, or the likeliest without.
int Tree::best_edge(int index) const {
  const Node &node = nodes_[index];
  const int end = node.first_edge + node.num_edges;
  const int first_child = end - node.num_children;
  const double weight =
      exploration(node) * std::sqrt(std::max(1, node.num_visits + node.num_pending - 2));

  int best = -1;
  double best_score = 0, visited_mass = 0;
  for (int edge = first_child; edge < end; ++edge) {
    const Node &child = nodes_[edges_[edge].child];
    const double score = value_under_way(child, node.to_play) +
                         weight * edges_[edge].prior / (1 + child.num_visits + child.num_pending);
    visited_mass += edges_[edge].prior;
    if (best < 0 || score > best_score) {
      best = edge;
      best_score = score;
    }
  }
  if (first_child == node.first_edge) return best;

  const double urgency =
      value_for(node, node.to_play) - options_.fpu_reduction * std::sqrt(visited_mass);
  const double score = urgency + weight * edges_[node.first_edge].prior;
  return best < 0 || score > best_score ? node.first_edge : best;
}

// The child at an edge; the likeliest move without one gets its node here.
int Tree::child_of(int index, int edge) {
  if (edges_[edge].child != kNoNode) return edges_[edge].child;
  const int child = static_cast<int>(nodes_.size());
  edges_[edge].child = child;
  Node &node = nodes_[index];
  ++node.num_children;
  std::swap(edges_[edge], edges_[node.first_edge + node.num_edges - node.num_children]);
  bring_likeliest_to_front(node);
  Node fresh;
  fresh.to_play = opponent(node.to_play);
  nodes_.push_back(fresh);
  return child;
}

void Tree::bring_likeliest_to_front(const Node &node) {
  const auto first = edges_.begin() + node.first_edge;
  const auto end = first + node.num_edges - node.num_children;
  if (first != end) std::iter_swap(first, std::max_element(first, end, less_likely));
}

void Tree::back_up(const std::vector<int32_t> &path, double value_white) {
  for (int32_t index : path) {
    Node &node = nodes_[index];
    node.value_white_sum += value_white;
    ++node.num_visits;
    --node.num_pending;
  }
}

void Tree::forget(const std::vector<int32_t> &path) {
  for (int32_t index : path) --nodes_[index].num_pending;
}

double Tree::exploration(const Node &node) const {
  return options_.c_puct +
         options_.c_puct_log *
             std::log((node.num_visits + options_.c_puct_base) / options_.c_puct_base);
}

double Tree::value_for(const Node &node, Colour colour) const {
  if (node.num_visits == 0) return 0;
  const double value_white = 2 * node.value_white_sum / node.num_visits - 1;
  return colour == kWhite ? value_white : -value_white;
}

// As value_for, with a loss of `colour` for each playout that is still under way.
double Tree::value_under_way(const Node &node, Colour colour) const {
  const double losses = options_.virtual_loss * node.num_pending;
  if (node.num_visits + losses == 0) return 0;
  return (value_for(node, colour) * node.num_visits - losses) / (node.num_visits + losses);
}

double Tree::root_value_to_play() const {
  return value_for(nodes_[kRoot], nodes_[kRoot].to_play);
}

void Tree::root_visits(int32_t *num_visits) const {
  std::fill_n(num_visits, kMaxPoints + 1, 0);
  const Node &root = nodes_[kRoot];
  for (int edge = root.first_edge; edge < root.first_edge + root.num_edges; ++edge)
    if (edges_[edge].child != kNoNode)
      num_visits[edges_[edge].move] = nodes_[edges_[edge].child].num_visits;
}

int Tree::best_move() const {
  const Node &root = nodes_[kRoot];
  if (root.state != State::kExpanded)
    throw Error("expected a search before best_move(): got a root without evaluation");
  const auto visits = [&](const Edge &edge) {
    return edge.child == kNoNode ? 0 : nodes_[edge.child].num_visits;
  };
  const auto edges = edges_.begin() + root.first_edge;
  return std::max_element(edges, edges + root.num_edges,
                          [&](const Edge &a, const Edge &b) {
                            if (visits(a) != visits(b)) return visits(a) < visits(b);
                            return less_likely(a, b);
                          })
      ->move;
}

void Tree::advance(int point) {
  if (!leaves_.empty()) throw Error("expected apply() before advance()");
  const Node &root = nodes_[kRoot];
  int child = kNoNode;
  for (int edge = root.first_edge; edge < root.first_edge + root.num_edges; ++edge)
    if (edges_[edge].move == point) child = edges_[edge].child;
  if (root_.play(point, root.to_play) != Legality::kLegal)
    throw Error("expected a legal move: got point " + std::to_string(point));

  Tree next(root_, options_);
  if (child != kNoNode) {
    next.nodes_.clear();
    next.copy_subtree(*this, child);
  }
  nodes_.swap(next.nodes_);
  edges_.swap(next.edges_);
}

// Appends a node of another tree with all that is below it, and returns its index here.
int Tree::copy_subtree(const Tree &from, int index) {
  const int copy = static_cast<int>(nodes_.size());
  nodes_.push_back(from.nodes_[index]);
  const int first_edge = static_cast<int>(edges_.size());
  const auto edges = from.edges_.begin() + from.nodes_[index].first_edge;
  edges_.insert(edges_.end(), edges, edges + from.nodes_[index].num_edges);
  nodes_[copy].first_edge = first_edge;
  for (int edge = first_edge; edge < first_edge + nodes_[copy].num_edges; ++edge)
    if (edges_[edge].child != kNoNode) {
      const int child = copy_subtree(from, edges_[edge].child);
      edges_[edge].child = child;
    }
  return copy;
}

}  // namespace golois
