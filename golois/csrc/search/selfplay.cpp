#include "search/selfplay.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kit/error.hpp"
#include "kit/share_out.hpp"

namespace golois {

SelfPlay::SelfPlay(const Game &start, const SelfPlayOptions &options, int64_t first_game,
                   int64_t num_games, int num_parallel, int num_threads)
    : start_(start.clone()),
      options_(options),
      next_game_(first_game),
      end_game_(first_game + num_games),
      num_threads_(num_threads) {
  if (start_->is_over()) throw Error("games can't begin with one that is over");
  for (int i = 0; i < num_parallel && next_game_ < end_game_; ++i)
    games_.push_back(std::make_unique<SelfPlayGame>(*start_, options_, next_game_++));
}

int SelfPlay::collect(float *planes) {
  if (is_waiting_) throw Error("call answer() before the next collect()");
  const int64_t row_size = shape().planes.num_numbers();
  share_out(static_cast<int64_t>(games_.size()), num_threads_, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) games_[i]->run_to_leaf(planes + i * row_size);
  });
  replace_finished(planes);
  is_waiting_ = !games_.empty();
  return static_cast<int>(games_.size());
}

// Puts the next game in the place of each that is over, or the last one if none is left to begin.
void SelfPlay::replace_finished(float *planes) {
  const int64_t row_size = shape().planes.num_numbers();
  for (std::size_t i = 0; i < games_.size();) {
    if (!games_[i]->is_over()) {
      ++i;
      continue;
    }
    finished_.push_back(games_[i]->take());
    num_moves_ += static_cast<int64_t>(finished_.back().moves.size());
    if (next_game_ < end_game_) {
      games_[i] = std::make_unique<SelfPlayGame>(*start_, options_, next_game_++);
      games_[i]->run_to_leaf(planes + i * row_size);
    } else {
      const std::size_t last = games_.size() - 1;
      if (i < last) std::copy_n(planes + last * row_size, row_size, planes + i * row_size);
      games_[i] = std::move(games_.back());
      games_.pop_back();
    }
  }
}

void SelfPlay::asks_victim(bool *flags) const {
  for (const auto &game : games_) *flags++ = game->asks_victim();
}

void SelfPlay::answer(const float *policy, const float *value_white, int num_rows) {
  if (!is_waiting_) throw Error("call collect() before answer()");
  if (num_rows != static_cast<int>(games_.size()))
    throw Error("the rows need " + std::to_string(games_.size()) + " evaluations, not " +
                std::to_string(num_rows));
  const int64_t policy_size = shape().policy_size;
  for (int64_t i = 0; i < num_rows; ++i)
    check_evaluation(policy + i * policy_size, static_cast<int>(policy_size), value_white[i]);
  share_out(num_rows, num_threads_, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      games_[i]->apply(policy + i * policy_size, value_white[i]);
  });
  is_waiting_ = false;
}

int64_t SelfPlay::num_moves() const {
  int64_t num_moves = num_moves_;
  for (const auto &game : games_) num_moves += game->num_moves();
  return num_moves;
}

}  // namespace golois
