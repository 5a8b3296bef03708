// A game for two players as a search sees it: whose turn it is, what may be played, who has won,
// what a network is shown.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "go/board.hpp"
#include "go/ladder_memory.hpp"
#include "planes/plane_words.hpp"

namespace golois {

// What a network of a game is shown, and what it answers.
struct GameShape {
  PlanesShape planes;
  int policy_size;     // n·n, and one more where the policy has a pass
  int num_symmetries;  // 8; 2 where only a half turn keeps the rules

  int size() const { return planes.size; }
  int pass() const { return planes.num_points(); }
  int symmetry(int i) const { return num_symmetries == kNumSymmetries ? i : i * kHalfTurn; }
  bool has_symmetry(int symmetry) const {
    return symmetry >= 0 && symmetry < kNumSymmetries &&
           (num_symmetries == kNumSymmetries || symmetry == 0 || symmetry == kHalfTurn);
  }
};

// Players alternate, Black first. Moves are points, and n·n for a pass.
class Game {
 public:
  virtual ~Game() = default;
  virtual std::unique_ptr<Game> clone() const = 0;

  const GameShape &shape() const { return shape_; }

  virtual Colour to_play() const = 0;
  virtual int num_moves() const = 0;
  virtual const PointSet &stones(Colour colour) const = 0;

  // Identifies the stones.
  virtual uint64_t key() const = 0;
  // Identifies what write_planes() shows.
  virtual uint64_t planes_key() const = 0;

  virtual bool is_over() const = 0;
  // Of a game that is over: 1 if White has won, 0 if Black has, 0.5 if nobody has.
  virtual double outcome_white() const = 0;

  // The moves that a search considers, all of them legal; not empty while the game is not over.
  virtual PointSet candidates() const = 0;
  // Of the side to move; `move` may be anything. It doesn't ask whether the game is over.
  virtual Legality legality(int move) const = 0;

  // Plays a move that legality() allows (unchecked).
  virtual void play(int move) = 0;
  // Takes the last move back; there must be one that was played on this game or on one that it is a
  // clone of.
  virtual void take_back() = 0;
  virtual int num_to_take_back() const = 0;

  // Writes the position as a symmetry of the shape shows it, shape().planes.num_numbers() of 0 and
  // 1. `before` may have readings of the position before the last move, which save time; those of
  // this position are written to `readings`. Changes nothing but a ko point, which superko implies.
  virtual void write_planes(int symmetry, LadderReadings before,
                            std::vector<LadderReading> &readings, float *planes) = 0;

 protected:
  explicit Game(const GameShape &shape) : shape_(shape) {}
  Game(const Game &) = default;
  Game &operator=(const Game &) = delete;

 private:
  GameShape shape_;
};

}  // namespace golois
