// Many games of a network against itself, in lockstep: a batch holds one position of each.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "games/game.hpp"
#include "search/selfplay_game.hpp"

namespace golois {

class SelfPlay {
 public:
  // Games first_game … first_game + num_games − 1, num_parallel of them at a time; `start` is
  // copied. How many run at a time, and in how many threads, changes nothing in them. Throws Error
  // where the start is over.
  SelfPlay(const Game &start, const SelfPlayOptions &options, int64_t first_game, int64_t num_games,
           int num_parallel, int num_threads);
  SelfPlay(const SelfPlay &) = delete;
  SelfPlay &operator=(const SelfPlay &) = delete;

  const GameShape &shape() const { return start_->shape(); }

  // Plays on until a position of each game wants an evaluation, and writes their planes one after
  // the other, up to num_parallel rows. Returns how many; answer() must follow unless that is 0,
  // after which all games are over.
  int collect(float *planes);

  // Whether each row of the last collect() is for the victim.
  void asks_victim(bool *flags) const;

  // Takes evaluations as Tree::apply() does, [num_rows]. Throws Error, and takes none, if one of
  // them is refused.
  void answer(const float *policy, const float *value_white, int num_rows);

  // Moves of all games so far.
  int64_t num_moves() const;

  // The games that are over, in an order that num_parallel decides.
  const std::deque<PlayedGame> &finished() const { return finished_; }
  void drop_oldest() { finished_.pop_front(); }

 private:
  void replace_finished(float *planes);

  std::unique_ptr<Game> start_;
  SelfPlayOptions options_;
  int64_t next_game_, end_game_;
  int num_threads_;
  bool is_waiting_ = false;  // for answers
  int64_t num_moves_ = 0;    // of games that are over
  std::vector<std::unique_ptr<SelfPlayGame>> games_;
  std::deque<PlayedGame> finished_;
};

}  // namespace golois
