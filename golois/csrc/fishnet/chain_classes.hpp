// The six classes of chains by the eyes and openings that their liberties promise, as likelihoods
// from an earlier evaluation say.
#pragma once

#include <array>
#include <vector>

#include "go/board.hpp"

namespace golois {

// Of each point in 0 … 1, as a player sees it: that it becomes the player's, that it becomes an eye
// of the player, or of the enemy.
struct Likelihoods {
  std::array<float, kMaxPoints> own, eye, enemy_eye;
};

// Moves the likelihoods beside a new stone by `step` in favour of its owner, within 0 … 1.
void adjust_beside(const Neighbours &neighbours, bool is_own, float step, Likelihoods &seen);

// 0 … 5: the paper's classes 1 … 6, by the sums over a chain's liberties of the likelihoods that
// they become eyes of its owner, and that they become its owner's at all. The paper's text calls
// the first sum ΣZ and the second ΣA, but its examples (a stone in the open has 2.6 openings and no
// eye) and its Table IV fit only this.
constexpr int chain_class(float eyes, float openings) {
  constexpr float kOne = 0.75f, kTwo = 1.5f;
  if (eyes >= kTwo) return 5;
  if (eyes >= kOne) return openings >= kOne ? 4 : 3;
  return openings >= kTwo ? 2 : openings >= kOne ? 1 : 0;
}

// How chains are classed; FishNet2's way has some of both.
struct ChainRules {
  float least_eye = 0;  // what is no likelier to become an eye counts for none
  // By the number of stones, the last for all larger chains: from which openings on a chain without
  // an eye is in the second, third and fourth class; one eye is then the fifth. None: chain_class()
  // is right.
  std::vector<std::array<float, 3>> openings;
};

// The classes of a board's chains as a player sees them. To both sums of a chain is added, for each
// enemy chain beside it, the likelihood that this is captured: the lowest of its stones.
class ChainClasses {
 public:
  explicit ChainClasses(const ChainRules &rules = {}) : rules_(rules) {}

  void find(const Board &board, Colour player, const Likelihoods &seen);

  // Of a chain, by its name.
  uint8_t of(int chain) const { return classes_[chain]; }

  // The chains whose class a move may change that takes no stones and moves the likelihoods beside
  // it; before it is played.
  PointSet within_reach(const Board &board, int move) const;

  // Calls visit(chain, class) for these, and for the chain of the new stone, when the move has been
  // played; the classes stay those before.
  template <typename Visit>
  void after(const Board &board, int move, const PointSet &within_reach, Colour player,
             const Likelihoods &seen, Visit visit) {
    const int chain = board.chain_at(move);
    PointSet chains, touched;
    within_reach.for_each([&](int name) { chains.insert(board.chain_at(name)); });
    chains.insert(chain);
    touched.insert(chain);
    for (int q : board.neighbours(move))
      if (board.chain_at(q) != Board::kNoChain) touched.insert(board.chain_at(q));
    std::array<float, 5> before;
    int num_touched = 0;
    touched.for_each([&](int name) {
      before[num_touched++] = captured_[name];
      captured_[name] = likelihood_of_capture(board, name, player, seen);
    });
    chains.for_each([&](int name) {
      visit(name, class_of(board, name, beside_after(board, name, chain, touched, within_reach),
                           player, seen));
    });
    num_touched = 0;
    touched.for_each([&](int name) { captured_[name] = before[num_touched++]; });
  }

 private:
  static float likelihood_of_capture(const Board &board, int chain, Colour player,
                                     const Likelihoods &seen);
  PointSet beside_after(const Board &board, int chain, int moved, const PointSet &touched,
                        const PointSet &within_reach) const;
  uint8_t class_of(const Board &board, int chain, const PointSet &beside, Colour player,
                   const Likelihoods &seen) const;

  int class_by(float eyes, float openings, int num_stones) const;

  ChainRules rules_;
  // By the names of chains: the class, how likely it is captured, and the enemy chains beside it.
  std::array<uint8_t, kMaxPoints> classes_;
  std::array<float, kMaxPoints> captured_;
  std::array<PointSet, kMaxPoints> beside_;
};

}  // namespace golois
