#include "../fishnet.hpp"

#include <cmath>
#include <vector>

#include "../alpha_beta.hpp"
#include "../rng.hpp"
#include "../td_game.hpp"
#include "check.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

Isn random_network(int size, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> kernels(kIsnKernelNumbers);
  for (float &number : kernels) number = static_cast<float>(rng.uniform() - 0.5);
  return {size, kernels.data()};
}

bool same(const Isn &network, const IsnState &a, const IsnState &b) {
  for (int point = 0; point < network.size() * network.size(); ++point) {
    const int at = network.padded(point);
    if (a.inputs[at] != b.inputs[at] || a.hidden[at] != b.hidden[at] || a.sums[at] != b.sums[at]) return false;
  }
  return true;
}

constexpr FishNetOptions kPlayer{0.4f, 0.4f, 0.1f};

}  // namespace

TEST(a_changed_evaluation_is_that_of_the_whole_board_and_goes_back) {
  Rng rng(2);
  for (int size : {2, 9, 19}) {
    const Isn network = random_network(size, 3);
    IsnState changed, whole, before;
    IsnInputs inputs = network.empty_inputs();
    network.evaluate(inputs, changed);
    for (int i = 0; i < 50; ++i) {
      before = changed;
      inputs[network.padded(static_cast<int>(rng.below(size * size)))] = static_cast<uint8_t>(rng.below(kInputOffBoard));
      const PaddedSet touched = network.update(inputs, changed);
      network.evaluate(inputs, whole);
      CHECK(same(network, changed, whole));
      IsnState back = changed;
      network.restore(before, touched, back);
      CHECK(same(network, back, before));
    }
  }
}

TEST(games_of_every_size_end_and_teach_something) {
  for (int size : {2, 5, 19}) {
    const Isn network = random_network(size, 4);
    const TdOptions options{kPlayer, 1.0, 0.9, size == 5, 3 * size * size};
    IsnKernels<double> gradient{};
    const TdGame game = play_td_game(network, options, 1, gradient);
    CHECK(!game.moves.empty() && static_cast<int>(game.moves.size()) <= options.max_moves);
    CHECK(game.num_outputs >= 2 * size * size * static_cast<int64_t>(game.moves.size()));
    CHECK(std::isfinite(game.loss) && gradient.input_hidden[4][kInputEmpty][0] != 0);
  }
}

TEST(searches_find_legal_moves_with_and_without_selnet) {
  const Isn network = random_network(5, 5), selection = random_network(5, 6);
  FishNet game(network, kPlayer);
  Colour colour = kBlack;
  for (int i = 0; i < 60; ++i) {
    const AlphaBetaOptions options{1 + i % 3, i % 2 ? &selection : nullptr, {4, 2}};
    const AlphaBetaResult found = alpha_beta(game, options);
    CHECK(game.position().legality(found.move, colour) == Legality::kLegal);
    CHECK(found.num_evaluations > 0 && std::isfinite(found.value));
    game.play(found.move, colour);
    colour = opponent(colour);
  }
  CHECK(game.position().board().is_consistent());
}
