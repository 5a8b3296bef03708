#include "fishnet/game.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "check.hpp"
#include "fishnet/alpha_beta.hpp"
#include "fishnet/td_game.hpp"
#include "kit/rng.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

Isn random_network(int size, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> kernels(kIsnKernelNumbers);
  for (float &number : kernels) number = static_cast<float>(rng.uniform() - 0.5);
  return {size, kernels.data()};
}

bool same(Four a, Four b) {
  bool same = true;
  for (int lane = 0; lane < kIsnLanes; ++lane) same &= a[lane] == b[lane];
  return same;
}

bool same(const Isn &network, const IsnState &a, const IsnState &b) {
  for (int point = 0; point < network.size() * network.size(); ++point) {
    const int at = network.padded(point);
    if (a.inputs[at] != b.inputs[at] || !same(a.sums[at], b.sums[at])) return false;
    for (std::size_t i = 0; i < a.cells[at].hidden.size(); ++i)
      if (!same(a.cells[at].hidden[i], b.cells[at].hidden[i])) return false;
  }
  return true;
}

const FishNetOptions kPlayer{0.4f, 0.4f, 0.1f};

}  // namespace

TEST(a_changed_evaluation_is_that_of_the_whole_board) {
  Rng rng(2);
  for (int size : {2, 9, 19}) {
    const Isn network = random_network(size, 3);
    IsnMemory memory;
    IsnState changed, whole;
    IsnInputs inputs = network.empty_inputs();
    network.evaluate(inputs, changed);
    for (int i = 0; i < 50; ++i) {
      inputs[network.padded(static_cast<int>(rng.below(size * size)))] =
          static_cast<uint8_t>(rng.below(kInputOffBoard));
      network.update(inputs, changed, memory);
      network.evaluate(inputs, whole);
      CHECK(same(network, changed, whole));
    }
  }
}

TEST(inputs_that_are_tried_give_the_sums_of_the_whole_board_and_leave_no_trace) {
  Rng rng(3);
  for (int size : {2, 9, 19}) {
    const Isn network = random_network(size, 3);
    IsnMemory memory;
    IsnState here, whole;
    network.evaluate(network.empty_inputs(), here);
    for (int i = 0; i < 50; ++i) {
      const IsnState before = here;
      IsnInputs inputs = here.inputs;
      inputs[network.padded(static_cast<int>(rng.below(size * size)))] =
          static_cast<uint8_t>(rng.below(kInputOffBoard));
      network.evaluate(inputs, whole);
      std::array<IsnSums, kMaxPaddedPoints> sums = here.sums;
      here.inputs = inputs;
      network.try_inputs(network.difference(inputs, before.inputs), here, memory,
                         [&](int at, Four found) { sums[at] = found; });
      for (int point = 0; point < size * size; ++point)
        CHECK(same(sums[network.padded(point)], whole.sums[network.padded(point)]));
      here.inputs = before.inputs;
      CHECK(same(network, here, before));
      network.update(inputs, here, memory);
    }
  }
}

TEST(classes_after_a_move_are_those_of_the_new_board) {
  Rng rng(4);
  int captures = 0, joined = 0;
  for (int game = 0; game < 20; ++game) {
    Board board(game % 2 ? 5 : 9);
    Likelihoods seen;
    for (int p = 0; p < board.num_points(); ++p)
      seen.own[p] = rng.uniform(), seen.eye[p] = rng.uniform(), seen.enemy_eye[p] = rng.uniform();
    Colour colour = kBlack;
    for (int i = 0; i < 2 * board.num_points(); ++i, colour = opponent(colour)) {
      const int move = static_cast<int>(rng.below(board.num_points()));
      if (board.legality(move, colour) != Legality::kLegal) continue;
      ChainClasses before, fresh;
      before.find(board, colour, seen);
      const PointSet within_reach = before.within_reach(board, move);
      std::array<uint8_t, kMaxPoints> classes{};
      board.for_each_chain([&](int chain) {
        board.for_each_stone(chain, [&](int p) { classes[p] = before.of(chain); });
      });
      Board::Undo undo;
      const bool has_captured = board.play(move, colour, undo) > 0;
      captures += has_captured;
      joined += undo.num_absorbed > 0;
      adjust_beside(board.neighbours(move), true, 0.3f, seen);
      if (has_captured) continue;
      before.after(board, move, within_reach, colour, seen, [&](int chain, uint8_t found) {
        board.for_each_stone(chain, [&](int p) { classes[p] = found; });
      });
      fresh.find(board, colour, seen);
      board.for_each_chain([&](int chain) {
        board.for_each_stone(chain, [&](int p) { CHECK(classes[p] == fresh.of(chain)); });
      });
    }
  }
  CHECK(captures > 20 && joined > 20);
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
