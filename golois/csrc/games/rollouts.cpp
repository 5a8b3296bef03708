#include "games/rollouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "kit/error.hpp"
#include "kit/rng.hpp"

namespace golois {

namespace {

constexpr double kExploration = 1;  // of UCB1, for shares of games that are won

struct Node {
  Point move;
  double num_wins = 0;  // of the player that made the move
  int64_t num_visits = 0;
  // neighbours in the list; none before the second visit
  int64_t first_child = 0, num_children = 0;
};

class Uct {
 public:
  Uct(const Game &game, uint64_t seed) : game_(game.clone()), rng_(seed), nodes_{Node{kNoPoint}} {}

  void run_playout() {
    std::vector<int64_t> line{0};
    while (!game_->is_over() && has_children(line.back())) {
      line.push_back(chosen_child(line.back()));
      game_->play(nodes_[line.back()].move);
    }
    const int num_tree_moves = static_cast<int>(line.size()) - 1;
    const int num_random_moves = play_to_the_end();
    const double outcome_white = game_->outcome_white();
    for (int i = 0; i < num_random_moves; ++i) game_->take_back();
    for (int i = num_tree_moves; i >= 0; --i) {
      Node &node = nodes_[line[i]];
      ++node.num_visits;
      // the mover is the other one
      node.num_wins += game_->to_play() == kWhite ? 1 - outcome_white : outcome_white;
      if (i > 0) game_->take_back();
    }
  }

  int most_visited_move() const {
    const auto first = nodes_.begin() + nodes_[0].first_child;
    const auto best =
        std::max_element(first, first + nodes_[0].num_children,
                         [](const Node &a, const Node &b) { return a.num_visits < b.num_visits; });
    return best->move;
  }

 private:
  // The root has children at once, another node at its second visit.
  bool has_children(int64_t at) {
    if (nodes_[at].num_children == 0 && (at == 0 || nodes_[at].num_visits > 0)) expand(at);
    return nodes_[at].num_children > 0;
  }

  // Adds the children in random order, in which they are first visited.
  void expand(int64_t at) {
    const auto begin = static_cast<int64_t>(nodes_.size());
    game_->candidates().for_each(
        [&](int move) { nodes_.push_back(Node{static_cast<Point>(move)}); });
    const auto count = static_cast<int64_t>(nodes_.size()) - begin;
    for (int64_t i = count - 1; i > 0; --i)
      std::swap(nodes_[begin + i],
                nodes_[begin + static_cast<int64_t>(rng_.below(static_cast<uint64_t>(i) + 1))]);
    nodes_[at].first_child = begin;
    nodes_[at].num_children = count;
  }

  int64_t chosen_child(int64_t at) const {
    const Node &parent = nodes_[at];
    const double log_visits =
        std::log(static_cast<double>(std::max<int64_t>(parent.num_visits, 1)));
    int64_t best = parent.first_child;
    double best_bound = -1;
    for (int64_t child = parent.first_child; child < parent.first_child + parent.num_children;
         ++child) {
      const Node &node = nodes_[child];
      if (node.num_visits == 0) return child;
      const double visits = static_cast<double>(node.num_visits);
      const double bound = node.num_wins / visits + kExploration * std::sqrt(log_visits / visits);
      if (bound > best_bound) best = child, best_bound = bound;
    }
    return best;
  }

  // Plays random moves until the game is over; returns how many.
  int play_to_the_end() {
    int num_moves = 0;
    for (; !game_->is_over(); ++num_moves) {
      PointSet moves = game_->candidates();
      for (uint64_t skipped = rng_.below(static_cast<uint64_t>(moves.size())); skipped > 0;
           --skipped)
        moves.erase(moves.first());
      game_->play(moves.first());
    }
    return num_moves;
  }

  std::unique_ptr<Game> game_;
  Rng rng_;
  std::vector<Node> nodes_;
};

}  // namespace

int rollout_move(const Game &game, int64_t num_playouts, uint64_t seed) {
  if (game.is_over()) throw Error("the game is over");
  Uct uct(game, seed);
  for (int64_t i = 0; i < num_playouts; ++i) uct.run_playout();
  return uct.most_visited_move();
}

}  // namespace golois
