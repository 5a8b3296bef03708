// The C surface of FishNet: rewards of points, Blair's network, a game as it sees it, TD(λ).
#include <algorithm>
#include <string>
#include <vector>

#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "fishnet/alpha_beta.hpp"
#include "fishnet/cell_rewards.hpp"
#include "fishnet/game.hpp"
#include "fishnet/isn.hpp"
#include "fishnet/td_game.hpp"

using golois::Error;
using golois::guarded;
using golois::require_capacity;

struct golois_isn {
  golois::Isn network;
};

struct golois_fishnet {
  golois::FishNet player;
};

namespace {

golois::FishNetOptions fishnet_options(const golois_fishnet_options &options) {
  golois::ChainRules chains{options.least_eye, {}};
  require_capacity(static_cast<int64_t>(sizeof options.openings / sizeof(float)),
                   3 * options.num_sizes);
  for (int i = 0; i < options.num_sizes; ++i) {
    const float *limits = &options.openings[3 * i];
    chains.openings.push_back({limits[0], limits[1], limits[2]});
  }
  return {options.captured, options.stone, options.step, chains};
}

golois::Colour require_colour(int32_t colour) {
  if (colour != golois::kBlack && colour != golois::kWhite)
    throw Error("a colour must be 1 or 2, not " + std::to_string(colour));
  return static_cast<golois::Colour>(colour);
}

// The evaluation of inputs that the caller gives; throws Error for inputs that no board has.
void evaluate(const golois_isn &network, const uint8_t *inputs, int64_t num_inputs,
              golois::IsnState &state) {
  const int width = network.network.width();
  require_capacity(num_inputs, width * width);
  golois::IsnInputs copied = network.network.empty_inputs();
  for (int at = 0; at < width * width; ++at) {
    const bool is_off = copied[at] == golois::kInputOffBoard;
    if (inputs[at] >= golois::kIsnInputs || is_off != (inputs[at] == golois::kInputOffBoard))
      throw Error("inputs must be 0 to 12 on the board and 13 around it");
    copied[at] = inputs[at];
  }
  network.network.evaluate(copied, state);
}

void require_same_size(const golois_fishnet &game, const golois_isn &selection) {
  if (game.player.position().size() != selection.network.size())
    throw Error("the two networks are for boards of different sizes");
}

golois::IsnKernels<double> &of_kernels(double *numbers) {
  return *reinterpret_cast<golois::IsnKernels<double> *>(numbers);
}

}  // namespace

void golois_point_rewards(int32_t state, const float *outputs, float captured, float *rewards) {
  const auto found = golois::rewards_of(static_cast<golois::PointState>(state), outputs, captured);
  rewards[0] = found.with_stones;
  rewards[1] = found.without_stones;
}

void golois_point_targets(int32_t state, const float *rewards, float captured, float *targets) {
  golois::write_targets(static_cast<golois::PointState>(state), {rewards[0], rewards[1]}, captured,
                        targets);
}

golois_isn *golois_isn_create(int32_t size, const float *kernels, int64_t capacity) {
  golois_isn *handle = nullptr;
  const int32_t status = guarded([&] {
    require_capacity(capacity, golois::kIsnKernelNumbers);
    handle = new golois_isn{{golois::require_size(size), kernels}};
  });
  return status == golois::kOk ? handle : nullptr;
}

void golois_isn_destroy(golois_isn *network) { delete network; }

int32_t golois_isn_sums(const golois_isn *network, const uint8_t *inputs, int64_t num_inputs,
                        float *sums, int64_t capacity) {
  return guarded([&] {
    const int num_points = network->network.size() * network->network.size();
    require_capacity(capacity, num_points * golois::kIsnOutputs);
    golois::IsnState state;
    evaluate(*network, inputs, num_inputs, state);
    for (int point = 0; point < num_points; ++point, sums += golois::kIsnOutputs) {
      const int at = network->network.padded(point);
      const golois::UsedOutputs used =
          golois::used_outputs(golois::state_of_input(state.inputs[at]));
      for (int i = 0; i < used.count; ++i) sums[used.of[i]] = state.sums[at][i];
    }
  });
}

int32_t golois_isn_gradient(const golois_isn *network, const uint8_t *inputs, int64_t num_inputs,
                            const float *errors, int64_t num_errors, double *gradient,
                            int64_t capacity) {
  return guarded([&] {
    const int num_points = network->network.size() * network->network.size();
    require_capacity(num_errors, num_points * golois::kIsnOutputs);
    require_capacity(capacity, golois::kIsnKernelNumbers);
    golois::IsnState state;
    evaluate(*network, inputs, num_inputs, state);
    std::array<golois::IsnSums, golois::kMaxPaddedPoints> padded{};
    for (int point = 0; point < num_points; ++point, errors += golois::kIsnOutputs) {
      const int at = network->network.padded(point);
      const golois::UsedOutputs used =
          golois::used_outputs(golois::state_of_input(state.inputs[at]));
      for (int i = 0; i < used.count; ++i) padded[at][i] = errors[used.of[i]];
    }
    network->network.add_gradient(network->network.trace(state), padded, of_kernels(gradient));
  });
}

golois_fishnet *golois_fishnet_create(const golois_isn *network,
                                      const golois_fishnet_options *options) {
  golois_fishnet *handle = nullptr;
  const int32_t status = guarded([&] {
    handle = new golois_fishnet{{network->network, fishnet_options(*options)}};
  });
  return status == golois::kOk ? handle : nullptr;
}

void golois_fishnet_destroy(golois_fishnet *game) { delete game; }

int32_t golois_fishnet_play(golois_fishnet *game, int32_t move, int32_t colour) {
  return guarded([&] {
    if (game->player.position().legality(move, require_colour(colour)) != golois::Legality::kLegal)
      throw Error("move " + std::to_string(move) + " is not legal");
    game->player.play(move, require_colour(colour));
  });
}

int32_t golois_fishnet_values(golois_fishnet *game, float *values, int64_t capacity) {
  return guarded([&] {
    require_capacity(capacity, game->player.position().pass() + 1);
    std::vector<float> found;
    game->player.write_values(found);
    std::copy(found.begin(), found.end(), values);
  });
}

int32_t golois_fishnet_outputs(const golois_fishnet *game, int32_t colour, float *outputs,
                               int64_t capacity) {
  return guarded([&] {
    require_capacity(capacity, game->player.position().pass() * golois::kNumPointOutputs);
    for (int point = 0; point < game->player.position().pass();
         ++point, outputs += golois::kNumPointOutputs) {
      const auto of_point = game->player.outputs(point, require_colour(colour));
      std::copy(of_point.begin(), of_point.end(), outputs);
    }
  });
}

int32_t golois_fishnet_inputs(const golois_fishnet *game, int32_t colour, uint8_t *inputs,
                              int64_t capacity) {
  return guarded([&] {
    const int num_inputs =
        (game->player.position().size() + 2) * (game->player.position().size() + 2);
    require_capacity(capacity, num_inputs);
    std::copy_n(game->player.evaluation(require_colour(colour)).inputs.begin(), num_inputs, inputs);
  });
}

int32_t golois_fishnet_selection(const golois_fishnet *game, const golois_isn *selection,
                                 float *values, int64_t capacity) {
  return guarded([&] {
    require_same_size(*game, *selection);
    require_capacity(capacity, game->player.position().pass() + 1);
    const std::vector<float> found = golois::selection_of(game->player, selection->network);
    std::copy(found.begin(), found.end(), values);
  });
}

int32_t golois_fishnet_selection_inputs(const golois_fishnet *game, uint8_t *inputs,
                                        int64_t capacity) {
  return guarded([&] {
    const golois::Position &position = game->player.position();
    const int num_inputs = (position.size() + 2) * (position.size() + 2);
    require_capacity(capacity, num_inputs);
    golois::Afterstates afterstates(game->player.network(), game->player.options());
    const auto found = afterstates.inputs(position.board(), position.to_play(),
                                          game->player.seen(position.to_play()));
    std::copy_n(found.begin(), num_inputs, inputs);
  });
}

int32_t golois_fishnet_search(const golois_fishnet *game, int32_t depth,
                              const golois_isn *selection, const int32_t *widths,
                              int64_t num_widths, golois_fishnet_choice *choice) {
  return guarded([&] {
    golois::AlphaBetaOptions options{depth, nullptr, {widths, widths + num_widths}};
    if (selection != nullptr) {
      require_same_size(*game, *selection);
      if (options.widths.empty())
        throw Error("a search with SelNet needs the number of moves of each ply");
      options.selection = &selection->network;
    }
    if (depth < 1) throw Error("a search has a depth of 1 or more, not " + std::to_string(depth));
    const golois::AlphaBetaResult result = golois::alpha_beta(game->player, options);
    *choice = {result.move, result.value, result.num_evaluations};
  });
}

int32_t golois_td_play(const golois_isn *network, const golois_td_options *options, uint64_t seed,
                       golois_td_game *game, int16_t *moves, int64_t num_moves, double *gradient,
                       int64_t capacity) {
  return guarded([&] {
    require_capacity(num_moves, options->max_moves);
    require_capacity(capacity, golois::kIsnKernelNumbers);
    const golois::TdOptions native{fishnet_options(options->player), options->beta, options->lambda,
                                   options->every_move, options->max_moves};
    const golois::TdGame played =
        golois::play_td_game(network->network, native, seed, of_kernels(gradient));
    std::copy(played.moves.begin(), played.moves.end(), moves);
    *game = {static_cast<int32_t>(played.moves.size()), played.is_cut, played.score_black,
             played.loss, played.num_outputs};
  });
}
