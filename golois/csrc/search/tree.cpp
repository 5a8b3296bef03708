#include "search/tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "kit/error.hpp"
#include "kit/rng.hpp"

namespace golois {

namespace {

// How far from 1 a policy may sum to.
constexpr float kPolicyTolerance = 0.01f;

}  // namespace

// Branches would keep the compiler from looking at several numbers at a time, and so would one sum.
void check_evaluation(const float *policy, int policy_size, float value_white) {
  constexpr int kLanes = 8;
  const int whole = policy_size / kLanes * kLanes;
  std::array<float, kLanes> sums{};
  int num_negative = 0;
  for (int p = 0; p < whole; p += kLanes)
    for (int i = 0; i < kLanes; ++i) {
      sums[i] += policy[p + i];
      num_negative += !(policy[p + i] >= 0.0f);
    }
  for (int p = whole; p < policy_size; ++p) {
    sums[0] += policy[p];
    num_negative += !(policy[p] >= 0.0f);
  }
  const float sum = std::accumulate(sums.begin(), sums.end(), 0.0f);
  if (num_negative > 0) throw Error("a number of the policy is not 0 or more");
  if (!(std::abs(sum - 1) <= kPolicyTolerance))
    throw Error("the policy must sum to 1, not " + std::to_string(sum));
  if (!(value_white >= 0.0f && value_white <= 1.0f))
    throw Error("the value must be from 0 to 1, not " + std::to_string(value_white));
}

Tree::Tree(const Game &root, const SearchOptions &options)
    : options_(options),
      cache_(options.cache_positions, root.shape().policy_size),
      game_(root.clone()) {
  nodes_.reset(root.to_play());
}

int Tree::select(int max_leaves, int first_move, float *planes) {
  require_answers("the next select()");
  return run_playouts(max_leaves, first_move, nullptr, planes);
}

int Tree::select_in_race(int max_leaves, int num_left, float *planes) {
  if (num_left < 1)
    throw Error("a race needs a playout that is left, not " + std::to_string(num_left));
  require_answers("the next select_race()");
  return run_playouts(std::min(max_leaves, race().num_until_halving(num_left)), kNoPoint, &race(),
                      planes);
}

void Tree::require_answers(const char *call) const {
  if (!leaves_.empty()) throw Error(std::string("call apply() before ") + call);
}

// Each playout begins with a move of the race, or with first_move where there is none.
int Tree::run_playouts(int max_leaves, int first_move, Race *race, float *planes) {
  const int row_size = shape().planes.num_numbers();
  int num_playouts = 0;
  for (int tries = 2 * max_leaves; tries > 0 && num_playouts < max_leaves; --tries) {
    const int move = race != nullptr ? race->next(nodes_) : first_move;
    if (run_playout(move, planes + leaves_.size() * row_size) != Outcome::kCollision) {
      ++num_playouts;
    } else if (race != nullptr) {
      race->take_back(move);
    }
  }
  for (int32_t node : collisions_) forget(node);
  collisions_.clear();
  return static_cast<int>(leaves_.size());
}

// One descent. A collision, with a leaf that already waits, keeps its virtual loss until select()
// ends.
Tree::Outcome Tree::run_playout(int first_move, float *planes) {
  const int node = descend(first_move);
  if (nodes_[node].state == State::kPending) {
    collisions_.push_back(node);
    return Outcome::kCollision;
  }
  if (nodes_[node].state == State::kFinished) {
    back_up(node, nodes_[node].value_white_sum / nodes_[node].num_visits);
    return Outcome::kCounted;
  }
  go_to(node);
  return look_at_leaf(node, planes);
}

// Goes down to a node without children, and counts a playout under way at every node that it meets.
int Tree::descend(int first_move) {
  const bool is_forced = first_move != kNoPoint && nodes_[kRoot].state == State::kExpanded;
  int node = kRoot, forced_child = is_forced ? root_child(first_move) : kNone;
  ++nodes_[node].num_pending;
  while (nodes_[node].state == State::kExpanded) {
    node = forced_child != kNone ? std::exchange(forced_child, kNone) : child_by_puct(node);
    ++nodes_[node].num_pending;
  }
  return node;
}

// The root's child that a move leads to, made if there is none yet; throws Error if the move is no
// candidate.
int Tree::root_child(int move) {
  const int child = nodes_.find_child(kRoot, move);
  return child != kNone ? child : nodes_.add_child(kRoot, root_edge(move));
}

int Tree::root_edge(int move) const {
  const Node &root = nodes_[kRoot];
  for (int edge = 0; edge < root.num_edges; ++edge)
    if (root.edges[edge].move() == move) return edge;
  throw Error("the first move must be a candidate of the root, not point " + std::to_string(move));
}

// The child that PUCT takes, made if there is none yet.
int Tree::child_by_puct(int node) {
  const int child = best_child(nodes_, node, options_.puct);
  return child != kNone ? child : nodes_.add_child(node, 0);
}

// Brings game_ to a node, by way of the last node that is on its line too.
void Tree::go_to(int node) {
  path_.clear();
  for (; node != kRoot; node = nodes_[node].parent) path_.push_back(node);
  std::reverse(path_.begin(), path_.end());
  const auto end = std::mismatch(path_.begin(), path_.end(), line_.begin(), line_.end()).first;
  take_back(end - path_.begin());
  for (std::size_t i = line_.size(); i < path_.size(); ++i) {
    game_->play(nodes_[path_[i]].move);
    line_.push_back(path_[i]);
  }
}

// Takes moves of line_ back until only so many are left.
void Tree::take_back(std::size_t num_moves) {
  for (; line_.size() > num_moves; line_.pop_back()) game_->take_back();
}

// What becomes of a node that has no value yet, which game_ is at.
Tree::Outcome Tree::look_at_leaf(int node, float *planes) {
  if (game_->is_over()) {
    nodes_[node].state = State::kFinished;
    back_up(node, game_->outcome_white());
    return Outcome::kCounted;
  }
  const uint64_t word = mix64(game_->key() ^ options_.seed);
  const int symmetry = options_.random_symmetry
                           ? shape().symmetry(static_cast<int>(word % shape().num_symmetries))
                           : 0;
  const Leaf leaf{node, symmetry, game_->planes_key(), game_->candidates()};
  if (const std::optional<Evaluation> evaluation = cache_.find(leaf.key)) {
    ++num_cache_hits_;
    expand(leaf, evaluation->policy);
    back_up(node, evaluation->value_white);
    return Outcome::kCounted;
  }
  nodes_[node].state = State::kPending;
  leaves_.push_back(leaf);
  write_leaf_planes(leaf, planes);
  return Outcome::kLeaf;
}

// Writes the planes of game_, with the ladders that the parent of its node remembers, and remembers
// its own.
void Tree::write_leaf_planes(const Leaf &leaf, float *planes) {
  Node &node = nodes_[leaf.node];
  LadderReadings before;
  if (node.parent != kNone)
    before = {nodes_[node.parent].readings, nodes_[node.parent].num_readings};
  game_->write_planes(leaf.symmetry, before, readings_, planes);

  node.num_readings = static_cast<int16_t>(readings_.size());
  auto *readings = nodes_.allocate<LadderReading>(node.num_readings);
  std::copy(readings_.begin(), readings_.end(), readings);
  node.readings = readings;
}

void Tree::apply(const float *policy, const float *value_white, int num_leaves) {
  const int policy_size = shape().policy_size;
  std::vector<Leaf> leaves;
  leaves.swap(leaves_);
  try {
    if (num_leaves != static_cast<int>(leaves.size()))
      throw Error("the leaves need " + std::to_string(leaves.size()) + " evaluations, not " +
                  std::to_string(num_leaves));
    for (int i = 0; i < num_leaves; ++i)
      check_evaluation(policy + i * policy_size, policy_size, value_white[i]);
  } catch (const Error &) {
    for (const Leaf &leaf : leaves) {
      nodes_[leaf.node].state = State::kNew;
      forget(leaf.node);
    }
    race_.reset();
    throw;
  }
  for (int i = 0; i < num_leaves; ++i) {
    cache_.store(leaves[i].key, policy + i * policy_size, value_white[i]);
    expand(leaves[i], policy + i * policy_size);
    back_up(leaves[i].node, value_white[i]);
  }
}

// Gives a leaf its edges, with priors normalised over its candidates.
void Tree::expand(const Leaf &leaf, const float *policy) {
  const auto &to = symmetries(shape().size())[leaf.symmetry];
  const int policy_size = shape().policy_size;
  // a pass may have none
  const auto prior_of = [&](int move) { return move < policy_size ? policy[to[move]] : 1.0f; };
  double total = 0;
  leaf.moves.for_each([&](int move) { total += prior_of(move); });

  const int num_moves = leaf.moves.size();
  const double scale = total > 0 ? 1 / total : 0, least = total > 0 ? 0 : 1.0 / num_moves;
  Edge *const edges = nodes_.allocate<Edge>(num_moves), *edge = edges;
  leaf.moves.for_each([&](int move) {
    *edge++ = Edge(static_cast<Point>(move), static_cast<float>(prior_of(move) * scale + least));
  });
  bring_likeliest_to_front(edges, num_moves);

  Node &node = nodes_[leaf.node];
  node.edges = edges;
  node.num_edges = static_cast<int16_t>(num_moves);
  node.state = State::kExpanded;
  if (leaf.node == kRoot) shape_root();
}

// Gives the root's moves the priors that a root has.
void Tree::shape_root() {
  if (!changes_priors(options_.root_policy)) return;
  std::vector<RootMove> moves = root_moves();
  std::sort(moves.begin(), moves.end(),
            [](const RootMove &a, const RootMove &b) { return a.point < b.point; });
  std::vector<double> priors;
  for (const RootMove &move : moves) priors.push_back(move.prior);
  shape_root_policy(priors, options_.root_policy, Rng(game_->key() ^ options_.seed));

  std::array<float, kMaxPoints + 1> prior_of{};
  for (std::size_t i = 0; i < moves.size(); ++i)
    prior_of[moves[i].point] = static_cast<float>(priors[i]);
  nodes_.set_priors(kRoot, prior_of);
}

void Tree::back_up(int number, double value_white) {
  for (; number != kNone; number = nodes_[number].parent) {
    Node &node = nodes_[number];
    node.value_white_sum += value_white;
    ++node.num_visits;
    --node.num_pending;
  }
}

// Ends a playout without a value.
void Tree::forget(int node) {
  for (; node != kNone; node = nodes_[node].parent) --nodes_[node].num_pending;
}

void Tree::start_race(const RaceOptions &options, const std::vector<double> &noise) {
  if (nodes_[kRoot].state != State::kExpanded)
    throw Error("search before a race: the root has no evaluation");
  race_.emplace(nodes_, options, noise);
}

Race &Tree::race() {
  if (!race_) throw Error("there is no race: start one");
  return *race_;
}

double Tree::root_value_to_play() const { return nodes_[kRoot].value_for(nodes_[kRoot].to_play); }

int Tree::num_candidates() const {
  if (nodes_[kRoot].state != State::kExpanded) return 0;
  int num_candidates = nodes_[kRoot].num_edges;
  nodes_.for_each_child(kRoot, [&](const Node &) { ++num_candidates; });
  return num_candidates;
}

void Tree::root_visits(int32_t *num_visits) const {
  std::fill_n(num_visits, shape().pass() + 1, 0);
  nodes_.for_each_child(kRoot,
                        [&](const Node &child) { num_visits[child.move] = child.num_visits; });
}

std::vector<RootMove> Tree::root_moves() const {
  const Node &root = nodes_[kRoot];
  std::vector<RootMove> moves;
  if (root.state != State::kExpanded) return moves;
  nodes_.for_each_child(kRoot, [&](const Node &child) {
    const double value = child.num_visits > 0 ? child.value_for(root.to_play) : NAN;
    moves.push_back({child.move, child.prior, child.num_visits, static_cast<float>(value)});
  });
  for (int i = 0; i < root.num_edges; ++i)
    moves.push_back({root.edges[i].move(), root.edges[i].prior(), 0, NAN});
  std::sort(moves.begin(), moves.end(), [](const RootMove &a, const RootMove &b) {
    return std::tuple(-a.num_visits, -a.prior, a.point) <
           std::tuple(-b.num_visits, -b.prior, b.point);
  });
  return moves;
}

int Tree::best_move() const {
  if (nodes_[kRoot].state != State::kExpanded)
    throw Error("search before best_move(): the root has no evaluation");
  return root_moves()[0].point;
}

std::vector<Point> Tree::principal_variation(int first_move, int64_t max_length) const {
  std::vector<Point> line;
  int node = kRoot;
  if (first_move != kNoPoint && nodes_[kRoot].state == State::kExpanded && max_length > 0) {
    line.push_back(static_cast<Point>(first_move));
    node = nodes_.find_child(kRoot, first_move);
    if (node == kNone) root_edge(first_move);
  }
  while (node != kNone && static_cast<int64_t>(line.size()) < max_length) {
    node = most_visited_child(node);
    if (node != kNone) line.push_back(nodes_[node].move);
  }
  return line;
}

// The child with most visits, the likelier one of equals; kNone where no child has any.
int Tree::most_visited_child(int node) const {
  const auto rank = [&](int child) {
    return std::pair(nodes_[child].num_visits, Edge(nodes_[child].move, nodes_[child].prior));
  };
  int best = kNone;
  for (int child = nodes_[node].first_child; child != kNone; child = nodes_[child].next_sibling)
    if (nodes_[child].num_visits > 0 && (best == kNone || rank(best) < rank(child))) best = child;
  return best;
}

void Tree::advance(int point) {
  require_answers("advance()");
  take_back(0);
  if (game_->legality(point) != Legality::kLegal)
    throw Error("the move is not legal: point " + std::to_string(point));
  game_->play(point);
  race_.reset();
  const int child = nodes_.find_child(kRoot, point);
  if (child == kNone) return nodes_.reset(game_->to_play());
  spare_.reset(nodes_, child);
  std::swap(nodes_, spare_);
  if (nodes_[kRoot].state == State::kExpanded) shape_root();
}

void Tree::forget_nodes() {
  require_answers("forget_nodes()");
  take_back(0);
  race_.reset();
  nodes_.reset(game_->to_play());
}

}  // namespace golois
