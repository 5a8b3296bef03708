// Stones, chains, liberties, captures and simple ko on one board, with exact undo.
//
// The board knows whose stone lies where, and no game: no side to move, no history, no superko, no passes
// (position.hpp has those).
#pragma once

#include <array>
#include <cstdint>

#include "point.hpp"
#include "zobrist.hpp"

namespace golois {

enum class Legality : int32_t { kLegal, kOutOfRange, kOccupied, kSuicide, kKo, kSuperko };

class Board {
 public:
  // What a move changed; only for undo() of that very move.
  struct Undo {
    PointSet liberties;
    std::array<Point, 4> absorbed, captured;
    uint64_t key;
    Point point, ko_point, chain, next, chain_at_point, num_stones;
    uint8_t num_absorbed, num_captured;
    Colour colour;
  };

  explicit Board(int size);

  int size() const { return size_; }
  int num_points() const { return size_ * size_; }
  Colour at(int point) const { return colours_[point]; }
  const PointSet &stones(Colour colour) const { return stones_[colour]; }
  const Neighbours &neighbours(int point) const { return (*geometry_)[point]; }
  uint64_t key() const { return key_; }

  // The point where simple ko forbids to take back, or kNoPoint; whoever has just taken may still fill it.
  int ko_point() const { return ko_point_; }
  void clear_ko() { ko_point_ = kNoPoint; }

  // The chain of a stone, named by one of its stones; the point must be occupied.
  int chain_at(int point) const { return chains_[point]; }
  int num_stones(int chain) const { return num_stones_[chain]; }
  const PointSet &liberties(int chain) const { return liberties_[chain]; }

  // Calls visit(point) for each stone of the chain.
  template <typename Visit>
  void for_each_stone(int chain, Visit visit) const {
    int point = chain;
    do {
      visit(point);
      point = next_[point];
    } while (point != chain);
  }

  // Everything but superko; `point` may be anything. A pass is not a point of the board.
  Legality legality(int point, Colour colour) const;

  // The key after a move that legality() allows, without playing it.
  uint64_t key_after(int point, Colour colour) const;

  // Plays a move that legality() allows (unchecked) and returns the number of captured stones.
  int play(int point, Colour colour, Undo &undo);
  int play(int point, Colour colour) {
    Undo undo;
    return play(point, colour, undo);
  }

  // Takes back the last move, which `undo` came from.
  void undo(const Undo &undo);

  // Sets up disjoint sets of stones; chains without liberties stay as they are. There is no ko after it.
  void set_stones(const PointSet &black, const PointSet &white);

  // True if chains, liberties, stones and key agree with a fresh set-up of the same stones; for tests.
  bool is_consistent() const;

 private:
  struct AdjacentChains {
    std::array<Point, 4> own, enemy;
    int num_own = 0, num_enemy = 0;
  };

  AdjacentChains adjacent_chains(int point, Colour colour) const;
  void place(int point, Colour colour);
  void join_chains(int point, const AdjacentChains &adjacent, Undo &undo);
  void relabel(int from_chain, int to_chain);
  int capture(int chain, Colour capturer);
  void uncapture(int chain, Colour capturer);
  void build_chain(int first);

  const Geometry *geometry_;
  int size_;
  uint64_t key_ = 0;
  Point ko_point_ = kNoPoint;
  std::array<Colour, kMaxPoints> colours_{};
  std::array<PointSet, 3> stones_{};
  std::array<Point, kMaxPoints> chains_{}, next_{}, num_stones_{};
  std::array<PointSet, kMaxPoints> liberties_{};  // valid where chains_[p] == p and p is occupied
};

}  // namespace golois
