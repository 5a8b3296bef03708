#include "search/selfplay_game.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kit/rng.hpp"

namespace golois {

namespace {

// Moves of less than this are no part of a target.
constexpr double kLeastShare = 0.001;

uint64_t seed_of(uint64_t seed, int64_t number) {
  return mix64(mix64(seed) + static_cast<uint64_t>(number));
}

SearchOptions search_options(const SelfPlayOptions &options, uint64_t seed) {
  SearchOptions search = options.search;
  search.seed = seed;
  return search;
}

Colour winner_of(const Game &game) {
  const double outcome = game.outcome_white();
  return outcome == 1 ? kWhite : outcome == 0 ? kBlack : kEmpty;
}

// The place of a weight, drawn in proportion to them.
std::size_t drawn(const std::vector<double> &weights, Rng rng) {
  double left = 0;
  for (double weight : weights) left += weight;
  left *= rng.uniform();
  std::size_t place = 0;
  while (place + 1 < weights.size() && left > weights[place]) left -= weights[place++];
  return place;
}

}  // namespace

SelfPlayGame::SelfPlayGame(const Game &start, const SelfPlayOptions &options, int64_t number)
    : options_(options),
      seed_(seed_of(options.search.seed, number)),
      game_(start.clone()),
      tree_(start, search_options(options, seed_)) {
  played_.number = number;
  played_.is_held_out = rng_of(Draw::kHoldOut).uniform() <= options_.hold_out_share;
  begin_search();
  play_random_moves();
}

// Moves on points alone: a pass could end a game of Go that has not begun.
void SelfPlayGame::play_random_moves() {
  Rng rng(mix64(~seed_));
  for (uint64_t left = rng.below(static_cast<uint64_t>(options_.most_random_moves) + 1);
       left > 0 && !is_over(); --left) {
    PointSet points = game_->candidates();
    points.erase(game_->shape().pass());
    if (points.empty()) return;
    for (uint64_t skipped = rng.below(static_cast<uint64_t>(points.size())); skipped > 0; --skipped)
      points.erase(points.first());
    played_.values_white.push_back(0.5f);
    played_.policy_ends.push_back(0);
    play(points.first());
  }
}

// Each draw of each move has numbers of its own, so that none depends on how many another one took.
Rng SelfPlayGame::rng_of(Draw draw) const {
  return Rng(
      mix64(seed_ ^ (4 * static_cast<uint64_t>(num_moves()) + static_cast<uint64_t>(draw) + 1)));
}

// Decides how the next root is searched, before it becomes one.
void SelfPlayGame::begin_search() {
  is_victim_ = options_.num_victim_simulations > 0 &&
               (game_->to_play() == kWhite) == (played_.number % 2 == 0);
  is_full_ = !is_victim_ && rng_of(Draw::kFullSearch).uniform() <= options_.full_share;
  num_simulations_ = is_victim_ ? options_.num_victim_simulations
                     : is_full_ ? options_.num_simulations
                                : options_.num_quick_simulations;
  tree_.set_root_policy(is_full_ ? options_.search.root_policy : RootPolicyOptions{1, 0, 1});
  has_race_ = false;
}

bool SelfPlayGame::run_to_leaf(float *planes) {
  while (!is_over()) {
    if (is_searched()) {
      end_search();
    } else if (select(planes) == 1) {
      return true;
    }
  }
  return false;
}

// Runs a playout; returns 1 if it wants an evaluation.
int SelfPlayGame::select(float *planes) {
  if (!options_.race || tree_.num_visits() == 0) return tree_.select(1, kNoPoint, planes);
  start_race();
  return tree_.select_in_race(1, num_simulations_left(), planes);
}

// Starts the race of this search, unless it has been.
void SelfPlayGame::start_race() {
  if (has_race_) return;
  const int num_moves = tree_.shape().pass() + 1;
  tree_.start_race(*options_.race, is_full_ ? gumbel_noise(num_moves, rng_of(Draw::kGumbel))
                                            : std::vector<double>());
  has_race_ = true;
}

// Records what the search has found, and plays its move, or resigns.
void SelfPlayGame::end_search() {
  std::vector<Point> policy_moves;
  std::vector<double> policy_shares;
  double value = tree_.root_value_to_play();
  const std::vector<RootMove> moves = tree_.root_moves();
  if (options_.race) {
    start_race();
    ImprovedPolicy policy = tree_.improved_policy();
    value = policy.value_to_play;
    policy_moves.swap(policy.moves);
    policy_shares.swap(policy.shares);
  } else {
    std::vector<RootMove> by_point = moves;
    std::sort(by_point.begin(), by_point.end(),
              [](const RootMove &a, const RootMove &b) { return a.point < b.point; });
    for (const RootMove &move : by_point) {
      policy_moves.push_back(move.point);
      policy_shares.push_back(move.num_visits / static_cast<double>(tree_.num_visits() - 1));
    }
  }
  const int move = chosen_move(moves);
  const auto found = std::find_if(moves.begin(), moves.end(),
                                  [&](const RootMove &known) { return known.point == move; });
  if (resigns(value, found->value_to_play)) return;
  played_.values_white.push_back(
      static_cast<float>((game_->to_play() == kWhite ? 1 + value : 1 - value) / 2));
  if (is_full_) add_policy(policy_moves, policy_shares);
  played_.policy_ends.push_back(static_cast<int64_t>(played_.policy_moves.size()));
  play(move);
}

// Draws a move in proportion to the visits at this move's temperature, from those whose value is
// not much below the most visited one's; without temperature the race's winner, or the most visited
// one. `moves` has the most visited one first.
int SelfPlayGame::chosen_move(const std::vector<RootMove> &moves) {
  const bool is_early = num_moves() < options_.num_early_moves;
  const double temperature = is_victim_ ? 0
                             : is_early ? options_.early_temperature
                                        : options_.late_temperature;
  const RootMove &most_visited = moves[0];
  if (temperature == 0 || most_visited.num_visits == 0)
    return options_.race ? tree_.race_winner() : most_visited.point;
  std::vector<double> weights;
  for (const RootMove &move : moves) {
    const bool is_in = move.num_visits > 0 &&
                       move.value_to_play >= most_visited.value_to_play - options_.max_value_loss;
    const double visits = move.num_visits / static_cast<double>(most_visited.num_visits);
    weights.push_back(is_in ? std::pow(visits, 1 / temperature) : 0);
  }
  return moves[drawn(weights, rng_of(Draw::kMove))].point;
}

// Notes a lost position, and ends the game there, unless it is held out.
bool SelfPlayGame::resigns(double value_to_play, double value_of_move) {
  if (is_victim_ ||
      !(value_to_play < options_.resign_value && value_of_move < options_.resign_value))
    return false;
  if (played_.resignable_from == PlayedGame::kNever) played_.resignable_from = num_moves();
  played_.has_resigned = !played_.is_held_out;
  return played_.has_resigned;
}

// Adds a position's target, without the moves of hardly any share.
void SelfPlayGame::add_policy(const std::vector<Point> &moves, const std::vector<double> &shares) {
  double total = 0;
  for (double share : shares) total += share >= kLeastShare ? share : 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (shares[i] < kLeastShare) continue;
    played_.policy_moves.push_back(moves[i]);
    played_.policy_shares.push_back(static_cast<float>(shares[i] / total));
  }
}

void SelfPlayGame::play(int move) {
  played_.moves.push_back(static_cast<Point>(move));
  game_->play(move);
  if (game_->is_over()) return;
  begin_search();
  if (!options_.keeps_tree) tree_.forget_nodes();
  tree_.advance(move);
}

PlayedGame SelfPlayGame::take() {
  played_.winner = played_.has_resigned ? opponent(game_->to_play()) : winner_of(*game_);
  return std::move(played_);
}

}  // namespace golois
