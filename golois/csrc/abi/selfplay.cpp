// The C surface of SelfPlay.
#include <algorithm>

#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "search/selfplay.hpp"

using golois::guarded;

struct golois_selfplay {
  golois::SelfPlay selfplay;
};

golois_selfplay *golois_selfplay_create(const golois_game *start,
                                        const golois_selfplay_options *options, int64_t first_game,
                                        int64_t num_games, int32_t num_parallel,
                                        int32_t num_threads) {
  golois_selfplay *handle = nullptr;
  const int32_t status = guarded([&] {
    golois::SelfPlayOptions native{};
    native.search = golois::search_options(options->search);
    if (options->is_race) native.race = golois::race_options(options->race);
    native.num_simulations = options->num_simulations;
    native.num_quick_simulations = options->quick_simulations;
    native.num_victim_simulations = options->victim_simulations;
    native.full_share = options->full_share;
    native.keeps_tree = options->keeps_tree;
    native.most_random_moves = options->random_moves;
    native.num_early_moves = options->early_moves;
    native.early_temperature = options->early_temperature;
    native.late_temperature = options->late_temperature;
    native.max_value_loss = options->max_value_loss;
    native.resign_value = options->resign_value;
    native.hold_out_share = options->hold_out_share;
    handle = new golois_selfplay{
        {*start->game, native, first_game, num_games, num_parallel, num_threads}};
  });
  return status == golois::kOk ? handle : nullptr;
}

void golois_selfplay_destroy(golois_selfplay *selfplay) { delete selfplay; }

int32_t golois_selfplay_collect(golois_selfplay *selfplay, float *planes) {
  int32_t num_rows = -1;
  const int32_t status = guarded([&] { num_rows = selfplay->selfplay.collect(planes); });
  return status == golois::kOk ? num_rows : -1;
}

void golois_selfplay_asks_victim(const golois_selfplay *selfplay, bool *flags) {
  selfplay->selfplay.asks_victim(flags);
}

int32_t golois_selfplay_answer(golois_selfplay *selfplay, const float *policy,
                               const float *value_white, int32_t num_rows) {
  return guarded([&] { selfplay->selfplay.answer(policy, value_white, num_rows); });
}

int64_t golois_selfplay_num_moves(const golois_selfplay *selfplay) {
  return selfplay->selfplay.num_moves();
}

bool golois_selfplay_finished(const golois_selfplay *selfplay, golois_played_game *game) {
  if (selfplay->selfplay.finished().empty()) return false;
  const golois::PlayedGame &played = selfplay->selfplay.finished().front();
  *game = {played.number,          static_cast<int64_t>(played.moves.size()),
           static_cast<int64_t>(played.policy_moves.size()),
           played.winner,          played.resignable_from,
           played.has_resigned,    played.is_held_out};
  return true;
}

int32_t golois_selfplay_take(golois_selfplay *selfplay, int16_t *moves, float *values_white,
                             int64_t *policy_ends, int64_t num_moves, int16_t *policy_moves,
                             float *policy_shares, int64_t num_shares) {
  return guarded([&] {
    const golois::PlayedGame &played = selfplay->selfplay.finished().front();
    golois::require_capacity(num_moves, played.moves.size());
    golois::require_capacity(num_shares, played.policy_moves.size());
    std::copy(played.moves.begin(), played.moves.end(), moves);
    std::copy(played.values_white.begin(), played.values_white.end(), values_white);
    std::copy(played.policy_ends.begin(), played.policy_ends.end(), policy_ends);
    std::copy(played.policy_moves.begin(), played.policy_moves.end(), policy_moves);
    std::copy(played.policy_shares.begin(), played.policy_shares.end(), policy_shares);
    selfplay->selfplay.drop_oldest();
  });
}
