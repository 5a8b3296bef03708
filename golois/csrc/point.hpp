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

using Point = int16_t;

enum Colour : uint8_t { kEmpty = 0, kBlack = 1, kWhite = 2 };

constexpr Colour opponent(Colour colour) { return static_cast<Colour>(kBlack + kWhite - colour); }

// A set of points as 361 bits.
class PointSet {
 public:
  static constexpr int kWords = 6;

  bool contains(int point) const { return words_[point >> 6] >> (point & 63) & 1; }
  void insert(int point) { words_[point >> 6] |= uint64_t{1} << (point & 63); }
  void erase(int point) { words_[point >> 6] &= ~(uint64_t{1} << (point & 63)); }
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
    int word = 0;
    while (words_[word] == 0) ++word;
    return word * 64 + __builtin_ctzll(words_[word]);
  }
  PointSet &operator|=(const PointSet &other) {
    for (int i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  PointSet &operator&=(const PointSet &other) {
    for (int i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  // The points that are in this set and not in the other.
  PointSet operator-(const PointSet &other) const {
    PointSet rest = *this;
    for (int i = 0; i < kWords; ++i) rest.words_[i] &= ~other.words_[i];
    return rest;
  }
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

// The neighbours of one point on one board size.
class Neighbours {
 public:
  const Point *begin() const { return points_.data(); }
  const Point *end() const { return points_.data() + count_; }
  void add(int point) { points_[count_++] = static_cast<Point>(point); }

 private:
  std::array<Point, 4> points_{};
  uint8_t count_ = 0;
};

// Neighbour lists of a board size, kMinSize … kMaxSize; built once, shared, immutable.
using Geometry = std::array<Neighbours, kMaxPoints>;
const Geometry &geometry(int size);

}  // namespace golois
