// FishNet: a game as two players see it that use Blair's network.
//
// A player evaluates what it moves to. The likelihoods of its evaluation stay with it: they class
// the chains of the next one, adjusted beside the stones that came in between. Before its first,
// they are those of the empty board.
#pragma once

#include <array>
#include <vector>

#include "fishnet/afterstates.hpp"

namespace golois {

class FishNet {
 public:
  // At the empty board. The network must outlive it.
  FishNet(const Isn &network, const FishNetOptions &options);

  const Position &position() const { return position_; }
  const FishNetOptions &options() const { return afterstates_.options(); }
  const Isn &network() const { return afterstates_.network(); }

  // Plays a move that is legal (unchecked), and evaluates for the colour that plays.
  void play(int move, Colour colour);

  // The evaluation after a colour's last move, or of the empty board, and what it says of a point.
  const IsnState &evaluation(Colour colour) const { return views_[colour].state; }
  std::array<float, kNumPointOutputs> outputs(int point, Colour colour) const;
  PointRewards rewards(int point, Colour colour) const;

  // The likelihoods of that evaluation, adjusted beside the stones that the opponent has played
  // since.
  const Likelihoods &seen(Colour colour) const { return views_[colour].seen; }

  // As Afterstates::write_values, for all moves of the side to move.
  void write_values(std::vector<float> &values);

 private:
  struct View {
    Likelihoods seen;
    IsnState state;
  };

  void remember(Colour colour);

  Afterstates afterstates_;
  Position position_;
  std::array<View, 3> views_;  // of kBlack and kWhite
};

}  // namespace golois
