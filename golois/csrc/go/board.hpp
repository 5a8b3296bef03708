// Stones, chains, liberties, captures and simple ko on one board, with exact undo.
//
// The board holds the stones but no game: no side to move, no history, no superko, no passes
// (position.hpp has those).
#pragma once

#include <array>
#include <cstdint>

#include "go/point.hpp"
#include "go/zobrist.hpp"

namespace golois {

// The last two are of other games than Go: a move that captures, and a pass where there is none.
enum class Legality : int32_t {
  kLegal,
  kOutOfRange,
  kOccupied,
  kSuicide,
  kKo,
  kSuperko,
  kCapture,
  kNoPass
};

class Board {
 public:
  // What a move changed; only for undo() of that very move.
  struct Undo {
    PointSet liberties;
    std::array<Point, 4> absorbed, captured;
    uint64_t key;
    Point point, ko_point, chain, next, num_stones, num_liberties;
    uint8_t num_absorbed, num_captured;
    Colour colour;
  };

  explicit Board(int size);

  int size() const { return size_; }
  int num_points() const { return size_ * size_; }
  Colour at(int point) const { return colours_[point]; }
  const PointSet &stones(Colour colour) const { return stones_[colour]; }
  PointSet empty_points() const { return geometry_->points - stones_[kBlack] - stones_[kWhite]; }
  const Neighbours &neighbours(int point) const { return geometry_->neighbours[point]; }
  uint64_t key() const { return key_; }

  // The point where simple ko forbids recapturing, or kNoPoint; the player who has just captured
  // may still fill it.
  int ko_point() const { return ko_point_; }
  void clear_ko() { ko_point_ = kNoPoint; }
  void restore_ko(const Undo &undo) { ko_point_ = undo.ko_point; }

  // The chain of a stone, named by one of its stones (the lowest right after set_stones); kNoChain
  // on an empty point.
  static constexpr int kNoChain = kOffBoard;
  int chain_at(int point) const { return chains_[point]; }
  int num_stones(int chain) const { return num_stones_[chain]; }
  int num_liberties(int chain) const { return num_liberties_[chain]; }
  const PointSet &liberties(int chain) const { return liberties_[chain]; }

  // Calls visit(chain) for each chain, ascending by name; `visit` may play if it undoes its moves.
  template <typename Visit>
  void for_each_chain(Visit visit) const {
    std::array<Point, kMaxPoints> names;
    int num_chains = 0;
    PointSet stones = stones_[kBlack];
    stones |= stones_[kWhite];
    stones.for_each([&](int p) {
      names[num_chains] = static_cast<Point>(p);
      num_chains += chains_[p] == p;
    });
    for (int i = 0; i < num_chains; ++i) visit(names[i]);
  }

  // Calls visit(point) for each stone of the chain.
  template <typename Visit>
  void for_each_stone(int chain, Visit visit) const {
    int point = chain;
    do {
      visit(point);
      point = next_[point];
    } while (point != chain);
  }

  // What a stone of a colour would meet around an empty point.
  struct Contact {
    bool captures;  // an enemy chain in atari
    bool breathes;  // an empty point, or an own chain with another liberty
  };
  Contact contact_of(int point, Colour colour) const {
    bool captures = false, breathes = false;
    for (int q : neighbours(point)) {
      const bool in_atari = num_liberties_[chains_[q]] == 1;
      captures |= (colours_[q] == opponent(colour)) & in_atari;
      breathes |= (colours_[q] == kEmpty) | ((colours_[q] == colour) & !in_atari);
    }
    return {captures, breathes};
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

  // Plays a move that has no liberty and captures nothing, where a game allows this, and returns
  // the number of own stones that leave the board. There is no undo.
  int play_suicide(int point, Colour colour);

  // The points whose colour the last move, which `undo` came from, has changed, and the stones of
  // all chains whose stones or liberties it has.
  PointSet changed_by(const Undo &undo) const;

  // Undoes the last move, which `undo` came from.
  void undo(const Undo &undo);

  // Sets up disjoint sets of stones; chains without liberties stay as they are. There is no ko
  // after it.
  void set_stones(const PointSet &black, const PointSet &white);

  // True if chains, liberties, stones and key agree with a fresh set-up of the same stones; for
  // tests.
  bool is_consistent() const;

 private:
  static constexpr int kNumCells = kMaxPoints + 1;  // the last is off the board

  void place(int point, Colour colour);
  void start_chain(int point);
  int largest_neighbour(int point, Colour colour) const;
  void join_chains(int point, Undo &undo);
  void absorb(int chain, int absorbed);
  void append(int chain, int point);
  void relabel(int from_chain, int to_chain);
  int capture(int chain, Colour capturer);
  void uncapture(int chain, Colour capturer);
  void chain_up(int point);

  // A liberty more or less for the chains around a point. The count of kNoChain means nothing:
  // writing it, too, saves a branch.
  void add_liberty_around(int point) {
    for (int q : neighbours(point))
      num_liberties_[chains_[q]] += liberties_[chains_[q]].insert_if(true, point);
  }
  void remove_liberty_around(int point) {
    for (int q : neighbours(point))
      num_liberties_[chains_[q]] -= liberties_[chains_[q]].erase_if(true, point);
  }
  void add_liberties_of(int chain, int point) {
    for (int q : neighbours(point))
      num_liberties_[chain] += liberties_[chain].insert_if(colours_[q] == kEmpty, q);
  }

  const Geometry *geometry_;
  int size_;
  uint64_t key_ = 0;
  Point ko_point_ = kNoPoint;
  std::array<PointSet, 3> stones_{};
  std::array<Colour, kNumCells> colours_{};
  std::array<Point, kNumCells> chains_{};
  std::array<Point, kMaxPoints> next_{};  // the stones of a chain are a ring
  // Of a chain, at its name.
  std::array<Point, kNumCells> num_stones_{}, num_liberties_{};
  std::array<PointSet, kNumCells> liberties_{};
};

}  // namespace golois
