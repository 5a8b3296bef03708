// One game of a network against itself: searches, moves, and what a network learns from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "games/game.hpp"
#include "search/tree.hpp"

namespace golois {

struct SelfPlayOptions {
  SearchOptions search;             // its seed is that of all games
  std::optional<RaceOptions> race;  // of the root's moves; without it, PUCT chooses there too
  int num_simulations;              // of a search, after the root's evaluation
  int num_quick_simulations;        // of a search that is no target, and has no noise
  double full_share;                // of searches that are not quick
  bool keeps_tree;                  // visits from the search before count as simulations
  // a game begins with 0 … so many moves of no search, which are no targets
  int most_random_moves;
  int num_early_moves;              // that are drawn at the early temperature
  // a move is drawn in proportion to visits^(1 / temperature); 0 takes the best one
  double early_temperature;
  double late_temperature;
  // of a move that is drawn, below the most visited one's value, −1 … 1
  double max_value_loss;
  // resigns where the root's value and the move's are below it, −1 … 1
  double resign_value;
  double hold_out_share;            // of games in which nobody resigns
  // 0, or what another player's searches have: it moves second in even games and first in odd
  int num_victim_simulations;
                                    // ones, without noise or draws, and its searches are no targets
};

struct PlayedGame {
  static constexpr int kNever = -1;

  int64_t number;
  std::vector<Point> moves;           // Black first
  // of the position before each move, by the search, 0 … 1; ½ where there was none
  std::vector<float> values_white;
  // of each such position, the end of its part of the next two; the same as the one before
  std::vector<int64_t> policy_ends;
                                      // after a quick search or a random move
  std::vector<Point> policy_moves;    // ascending within a position
  std::vector<float> policy_shares;   // sum to 1 within a position
  Colour winner = kEmpty;             // kEmpty after a draw
  // moves before the first position in which the player to move would resign
  int resignable_from = kNever;
  bool has_resigned = false, is_held_out = false;
};

class SelfPlayGame {
 public:
  // What happens in it depends on the options, whose seed counts, on its number and on evaluations
  // alone. The options must outlive it.
  SelfPlayGame(const Game &start, const SelfPlayOptions &options, int64_t number);

  // Plays on until a position wants an evaluation, and writes its planes; false if the game is over
  // before.
  bool run_to_leaf(float *planes);

  // Takes the evaluation; throws Error as Tree::apply().
  void apply(const float *policy, float value_white) { tree_.apply(policy, &value_white, 1); }

  // Whether the position that wants an evaluation is one of the victim's search.
  bool asks_victim() const { return is_victim_; }

  bool is_over() const { return played_.has_resigned || game_->is_over(); }

  int num_moves() const { return static_cast<int>(played_.moves.size()); }

  // The game, once it is over; then there is nothing left.
  PlayedGame take();

 private:
  enum class Draw : uint64_t { kHoldOut, kFullSearch, kGumbel, kMove };

  Rng rng_of(Draw draw) const;
  void play_random_moves();
  void begin_search();
  bool is_searched() const { return num_simulations_left() <= 0; }
  int num_simulations_left() const {
    const int64_t left = int64_t{num_simulations_} + 1 - tree_.num_visits();
    return static_cast<int>(std::min<int64_t>(left, INT32_MAX));
  }
  int select(float *planes);
  void start_race();
  void end_search();
  int chosen_move(const std::vector<RootMove> &moves);
  bool resigns(double value_to_play, double value_of_move);
  void add_policy(const std::vector<Point> &moves, const std::vector<double> &shares);
  void play(int move);

  const SelfPlayOptions &options_;
  uint64_t seed_;
  std::unique_ptr<Game> game_;
  Tree tree_;
  bool is_full_ = true, is_victim_ = false, has_race_ = false;  // of the search
  int num_simulations_ = 0;
  PlayedGame played_;
};

}  // namespace golois
