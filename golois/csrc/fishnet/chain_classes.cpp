#include "fishnet/chain_classes.hpp"

#include <algorithm>
#include <cstddef>

namespace golois {

void adjust_beside(const Neighbours &neighbours, bool is_own, float step, Likelihoods &seen) {
  const float signed_step = is_own ? step : -step;
  for (int q : neighbours) {
    if (q == kOffBoard) continue;
    seen.own[q] = std::clamp(seen.own[q] + signed_step, 0.0f, 1.0f);
    seen.eye[q] = std::clamp(seen.eye[q] + signed_step, 0.0f, 1.0f);
    seen.enemy_eye[q] = std::clamp(seen.enemy_eye[q] - signed_step, 0.0f, 1.0f);
  }
}

void ChainClasses::find(const Board &board, Colour player, const Likelihoods &seen) {
  board.for_each_chain([&](int chain) {
    captured_[chain] = likelihood_of_capture(board, chain, player, seen);
    beside_[chain].clear();
    board.for_each_stone(chain, [&](int p) {
      for (int q : board.neighbours(p))
        if (board.at(q) == opponent(board.at(chain))) beside_[chain].insert(board.chain_at(q));
    });
  });
  board.for_each_chain(
      [&](int chain) { classes_[chain] = class_of(board, chain, beside_[chain], player, seen); });
}

PointSet ChainClasses::within_reach(const Board &board, int move) const {
  PointSet chains;
  const auto add = [&](int q) {
    if (board.chain_at(q) != Board::kNoChain) chains.insert(board.chain_at(q));
  };
  for (int q : board.neighbours(move)) {
    add(q);
    if (board.chain_at(q) != Board::kNoChain) chains |= beside_[board.chain_at(q)];
    if (q != kOffBoard && board.at(q) == kEmpty)
      for (int r : board.neighbours(q)) add(r);
  }
  return chains;
}

float ChainClasses::likelihood_of_capture(const Board &board, int chain, Colour player,
                                          const Likelihoods &seen) {
  const bool is_own = board.at(chain) == player;
  float lowest = 1;
  board.for_each_stone(
      chain, [&](int p) { lowest = std::min(lowest, is_own ? 1 - seen.own[p] : seen.own[p]); });
  return lowest;
}

// The enemy chains beside one after a move, whose stone is of the chain `moved` and has touched
// some.
PointSet ChainClasses::beside_after(const Board &board, int chain, int moved,
                                    const PointSet &touched, const PointSet &within_reach) const {
  PointSet beside;
  if (chain != moved) {
    beside_[chain].for_each([&](int name) { beside.insert(board.chain_at(name)); });
    if (board.at(chain) != board.at(moved) && touched.contains(chain)) beside.insert(moved);
    return beside;
  }
  within_reach.for_each([&](int name) {
    if (board.chain_at(name) == moved) beside |= beside_[name];
  });
  touched.for_each([&](int name) {
    if (board.at(name) != board.at(moved)) beside.insert(name);
  });
  return beside;
}

uint8_t ChainClasses::class_of(const Board &board, int chain, const PointSet &beside, Colour player,
                               const Likelihoods &seen) const {
  const bool is_own = board.at(chain) == player;
  float eyes = 0, openings = 0;
  board.liberties(chain).for_each([&](int p) {
    const float eye = is_own ? seen.eye[p] : seen.enemy_eye[p];
    if (eye > rules_.least_eye) eyes += eye;
    openings += is_own ? seen.own[p] : 1 - seen.own[p];
  });
  beside.for_each([&](int other) {
    eyes += captured_[other];
    openings += captured_[other];
  });
  return static_cast<uint8_t>(class_by(eyes, openings, board.num_stones(chain)));
}

int ChainClasses::class_by(float eyes, float openings, int num_stones) const {
  if (rules_.openings.empty()) return chain_class(eyes, openings);
  if (const int with_eyes = chain_class(eyes, 0); with_eyes > 0) return std::max(with_eyes, 4);
  const auto &limits =
      rules_.openings[std::min<std::size_t>(num_stones, rules_.openings.size()) - 1];
  return static_cast<int>(
      std::count_if(limits.begin(), limits.end(), [&](float limit) { return openings >= limit; }));
}

}  // namespace golois
