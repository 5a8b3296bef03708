// Points, colours, neighbours and sets of points.
//
// A board of side n has points 0 … n·n−1, row-major, row 0 at the top; a pass is n·n.
#pragma once

#include <array>
#include <cstdint>

namespace golois {

constexpr int kMinSize = 2;
constexpr int kMaxSize = 19;
constexpr int kMaxPoints = kMaxSize * kMaxSize;
constexpr int kPass19 = kMaxPoints;
constexpr int kNoPoint = -1;
constexpr int kOffBoard = kMaxPoints;  // the neighbour that a point on the edge lacks

using Point = int16_t;

enum Colour : uint8_t { kEmpty = 0, kBlack = 1, kWhite = 2, kEdge = 3 };

constexpr Colour opponent(Colour colour) { return static_cast<Colour>(kBlack + kWhite - colour); }

// `yes` or `no`, without the branch that a compiler may make of ?: and a processor can't predict.
constexpr int choose(bool condition, int yes, int no) {
  return no ^ ((yes ^ no) & -int{condition});
}

// A set of points as 361 bits.
class PointSet {
 public:
  static constexpr int kWords = 6;

  bool contains(int point) const { return words_[point >> 6] >> (point & 63) & 1; }
  void insert(int point) { words_[point >> 6] |= uint64_t{1} << (point & 63); }
  void erase(int point) { words_[point >> 6] &= ~(uint64_t{1} << (point & 63)); }

  void flip(int point) { words_[point >> 6] ^= uint64_t{1} << (point & 63); }

  // Each changes the set only if `wanted`, and returns whether that changed it; without a branch.
  bool insert_if(bool wanted, int point) {
    const bool changes = wanted & !contains(point);
    words_[point >> 6] |= uint64_t{changes} << (point & 63);
    return changes;
  }
  bool erase_if(bool wanted, int point) {
    const bool changes = wanted & contains(point);
    words_[point >> 6] &= ~(uint64_t{changes} << (point & 63));
    return changes;
  }

  // Points 64·i … 64·i+63, the lowest in the lowest bit.
  uint64_t word(int i) const { return words_[i]; }

  void clear() { words_ = {}; }
  bool empty() const {
    uint64_t any = 0;
    for (uint64_t word : words_) any |= word;
    return any == 0;
  }
  int size() const {
    int count = 0;
    for (uint64_t word : words_) count += __builtin_popcountll(word);
    return count;
  }
  // The lowest point; the set must not be empty.
  int first() const {
    unsigned occupied = 0;  // found without a branch: which word it is can't be predicted
    for (int i = 0; i < kWords; ++i) occupied |= unsigned{words_[i] != 0} << i;
    const int word = __builtin_ctz(occupied);
    return word * 64 + __builtin_ctzll(words_[word]);
  }
  PointSet &operator|=(const PointSet &other) {
    for (int i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  PointSet &operator^=(const PointSet &other) {
    for (int i = 0; i < kWords; ++i) words_[i] ^= other.words_[i];
    return *this;
  }
  PointSet &operator&=(const PointSet &other) {
    for (int i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  // Every point `by` (1 … 63) further on; what leaves 0 … 383 is lost.
  PointSet shifted_up(int by) const {
    PointSet shifted;
    for (int i = 0; i < kWords; ++i)
      shifted.words_[i] = words_[i] << by | (i > 0 ? words_[i - 1] >> (64 - by) : 0);
    return shifted;
  }
  PointSet shifted_down(int by) const {
    PointSet shifted;
    for (int i = 0; i < kWords; ++i)
      shifted.words_[i] = words_[i] >> by | (i + 1 < kWords ? words_[i + 1] << (64 - by) : 0);
    return shifted;
  }
  // The points that are in this set and not in the other.
  PointSet operator-(const PointSet &other) const {
    PointSet rest = *this;
    for (int i = 0; i < kWords; ++i) rest.words_[i] &= ~other.words_[i];
    return rest;
  }
  PointSet operator&(const PointSet &other) const {
    PointSet both = *this;
    return both &= other;
  }
  bool meets(const PointSet &other) const { return !(*this & other).empty(); }
  bool operator==(const PointSet &other) const { return words_ == other.words_; }

  // Calls visit(point) for each point, in ascending order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (int i = 0; i < kWords; ++i)
      for (uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(i * 64 + __builtin_ctzll(word));
  }

 private:
  std::array<uint64_t, kWords> words_{};
};

// The neighbours of one point on one board size: always four, kOffBoard for those that it lacks, so
// that loops over them are unrolled and need no branch.
using Neighbours = std::array<Point, 4>;

// The points of a board size, kMinSize … kMaxSize; built once, shared, immutable.
struct Geometry {
  PointSet points, left_edge, right_edge;
  std::array<Neighbours, kMaxPoints> neighbours;
  int size;

  // The neighbours of a set's points, and points below the board.
  PointSet beside(const PointSet &set) const {
    PointSet beside = (set - right_edge).shifted_up(1);
    beside |= (set - left_edge).shifted_down(1);
    beside |= set.shifted_up(size);
    beside |= set.shifted_down(size);
    return beside;
  }

  // The points that are connected with a set's along lines of points within another, and the set
  // itself.
  PointSet connected(const PointSet &set, const PointSet &within) const {
    PointSet region = set, before;
    do {
      before = region;
      PointSet grown = beside(region);
      grown &= within;
      region |= grown;
    } while (!(region == before));
    return region;
  }
};
const Geometry &geometry(int size);

}  // namespace golois
