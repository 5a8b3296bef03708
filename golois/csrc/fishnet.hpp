// FishNet: what Blair's network says of each position that a player can move to, after the moves of a game so far.
//
// A player evaluates what it moves to. The likelihoods of its evaluation stay with it: they class the chains of the next one, adjusted
// beside the stones that came in between. Before its first, they are those of the empty board.
#pragma once

#include <array>
#include <vector>

#include "cell_rewards.hpp"
#include "chain_classes.hpp"
#include "isn.hpp"
#include "position.hpp"

namespace golois {

struct FishNetOptions {
  float captured, stone;  // the scoring that moves are chosen for; the network has learned with this `captured`
  float step;             // of the adjustments
};

class FishNet {
 public:
  // At the empty board. The network must outlive it.
  FishNet(const Isn &network, const FishNetOptions &options);

  const Position &position() const { return position_; }
  const FishNetOptions &options() const { return options_; }

  // Plays a move that is legal (unchecked), and evaluates for the colour that plays.
  void play(int move, Colour colour);

  // The evaluation after a colour's last move, or of the empty board; `state_of` says what a point is to this colour.
  const IsnState &evaluation(Colour colour) const { return views_[colour].state; }
  PointState state_of(int point, Colour colour) const;

  // The seven outputs of a point as a colour's last move has left it; NaN those that its state doesn't have.
  std::array<float, kNumPointOutputs> outputs(int point, Colour colour) const;
  PointRewards rewards(int point, Colour colour) const;

  // What the board is worth to the side to move after each legal move: n·n+1 numbers, the last for a pass; NaN for others.
  void values(std::vector<float> &values);

 private:
  // What one player knows.
  struct View {
    Likelihoods seen;
    IsnState state;
  };

  IsnInputs inputs(Colour colour, const Likelihoods &seen) const;
  float value_of_point(int point, Colour colour, const IsnState &state) const;
  void remember(Colour colour);
  void adjust(int point, bool is_own, Likelihoods &seen) const;
  float value_of_move(int move, Colour colour, const std::vector<float> &values_here);

  const Isn &network_;
  FishNetOptions options_;
  Position position_;
  std::array<View, 3> views_;  // of kBlack and kWhite
  IsnInputs empty_;
  View scratch_, here_;
};

}  // namespace golois
