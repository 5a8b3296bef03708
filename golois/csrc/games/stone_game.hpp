// What the games on a Go board share: a position whose moves can be taken back.
#pragma once

#include <vector>

#include "games/game.hpp"
#include "go/position.hpp"

namespace golois {

class StoneGame : public Game {
 public:
  const Position &position() const { return position_; }

  Colour to_play() const override { return position_.to_play(); }
  int num_moves() const override { return position_.num_moves(); }
  const PointSet &stones(Colour colour) const override { return position_.board().stones(colour); }
  uint64_t key() const override { return position_.board().key(); }

  void play(int move) override {
    position_.play_unchecked(move, position_.to_play(), undos_.emplace_back());
  }
  void take_back() override {
    position_.undo(undos_.back());
    undos_.pop_back();
  }
  int num_to_take_back() const override { return static_cast<int>(undos_.size()); }

 protected:
  StoneGame(const GameShape &shape, const Position &position) : Game(shape), position_(position) {}

  Position position_;
  std::vector<Position::Undo> undos_;
};

}  // namespace golois
