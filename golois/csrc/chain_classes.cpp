#include "chain_classes.hpp"

#include <algorithm>

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

void write_chain_classes(const Board &board, Colour player, const Likelihoods &seen, std::array<uint8_t, kMaxPoints> &classes) {
  std::array<float, kMaxPoints> captured;  // of a chain, at its name
  board.for_each_chain([&](int chain) {
    const bool is_own = board.at(chain) == player;
    float lowest = 1;
    board.for_each_stone(chain, [&](int p) { lowest = std::min(lowest, is_own ? 1 - seen.own[p] : seen.own[p]); });
    captured[chain] = lowest;
  });
  std::array<Point, kMaxPoints> counted_for;  // the last chain that an enemy chain has counted for
  counted_for.fill(kNoPoint);
  board.for_each_chain([&](int chain) {
    const bool is_own = board.at(chain) == player;
    float eyes = 0, openings = 0;
    board.liberties(chain).for_each([&](int p) {
      eyes += is_own ? seen.eye[p] : seen.enemy_eye[p];
      openings += is_own ? seen.own[p] : 1 - seen.own[p];
    });
    board.for_each_stone(chain, [&](int p) {
      for (int q : board.neighbours(p)) {
        const int other = board.chain_at(q);
        if (board.at(q) != opponent(board.at(chain)) || counted_for[other] == chain) continue;
        counted_for[other] = static_cast<Point>(chain);
        eyes += captured[other];
        openings += captured[other];
      }
    });
    const auto found = static_cast<uint8_t>(chain_class(eyes, openings));
    board.for_each_stone(chain, [&](int p) { classes[p] = found; });
  });
}

}  // namespace golois
