// The six classes of chains by the eyes and openings that their liberties promise, as likelihoods from an earlier evaluation say.
#pragma once

#include <array>

#include "board.hpp"

namespace golois {

// Of each point in 0 … 1, as a player sees it: that it becomes the player's, that it becomes an eye of the player, or of the enemy.
struct Likelihoods {
  std::array<float, kMaxPoints> own, eye, enemy_eye;
};

// Moves the likelihoods beside a new stone by `step` in favour of its owner, within 0 … 1.
void adjust_beside(const Neighbours &neighbours, bool is_own, float step, Likelihoods &seen);

// 0 … 5: the paper's classes 1 … 6, by the sums over a chain's liberties of the likelihoods that they become eyes of its owner, and that
// they become its owner's at all. The paper's text calls the first sum ΣZ and the second ΣA, but its examples (a stone in the open has 2.6
// openings and no eye) and its Table IV fit only this.
constexpr int chain_class(float eyes, float openings) {
  constexpr float kOne = 0.75f, kTwo = 1.5f;
  if (eyes >= kTwo) return 5;
  if (eyes >= kOne) return openings >= kOne ? 4 : 3;
  return openings >= kTwo ? 2 : openings >= kOne ? 1 : 0;
}

// Writes the class of each stone's chain; empty points stay. To both sums of a chain is added, for each enemy chain beside it, the
// likelihood that this is captured: the lowest of its stones.
void write_chain_classes(const Board &board, Colour player, const Likelihoods &seen, std::array<uint8_t, kMaxPoints> &classes);

}  // namespace golois
