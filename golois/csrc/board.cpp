#include "board.hpp"

#include <utility>

namespace golois {

namespace {

// Adds chain to list unless it is there; returns the new count.
int add_distinct(std::array<Point, 4> &list, int count, Point chain) {
  for (int i = 0; i < count; ++i)
    if (list[i] == chain) return count;
  list[count] = chain;
  return count + 1;
}

}  // namespace

Board::Board(int size) : geometry_(&geometry(size)), size_(size) {}

Legality Board::legality(int point, Colour colour) const {
  if (point < 0 || point >= num_points()) return Legality::kOutOfRange;
  if (colours_[point] != kEmpty) return Legality::kOccupied;
  bool breathes = false, captures = false;
  for (int q : neighbours(point)) {
    const bool in_atari = colours_[q] != kEmpty && liberties_[chains_[q]].size() == 1;
    captures |= in_atari && colours_[q] != colour;
    breathes |= colours_[q] == kEmpty || (colours_[q] == colour && !in_atari);
  }
  if (captures) return point == ko_point_ ? Legality::kKo : Legality::kLegal;
  return breathes ? Legality::kLegal : Legality::kSuicide;
}

uint64_t Board::key_after(int point, Colour colour) const {
  uint64_t key = key_ ^ kZobrist[point][colour];
  const AdjacentChains adjacent = adjacent_chains(point, colour);
  for (int i = 0; i < adjacent.num_enemy; ++i)
    if (liberties_[adjacent.enemy[i]].size() == 1)
      for_each_stone(adjacent.enemy[i], [&](int q) { key ^= kZobrist[q][opponent(colour)]; });
  return key;
}

int Board::play(int point, Colour colour, Undo &undo) {
  const AdjacentChains adjacent = adjacent_chains(point, colour);
  undo.point = static_cast<Point>(point);
  undo.colour = colour;
  undo.key = key_;
  undo.ko_point = ko_point_;
  undo.num_captured = 0;

  place(point, colour);
  for (int i = 0; i < adjacent.num_enemy; ++i) liberties_[adjacent.enemy[i]].erase(point);
  join_chains(point, adjacent, undo);

  int num_captured_stones = 0;
  for (int i = 0; i < adjacent.num_enemy; ++i)
    if (liberties_[adjacent.enemy[i]].empty()) {
      num_captured_stones += capture(adjacent.enemy[i], colour);
      undo.captured[undo.num_captured++] = adjacent.enemy[i];
    }

  const int chain = chains_[point];
  const bool is_ko =
      num_captured_stones == 1 && num_stones_[chain] == 1 && liberties_[chain].size() == 1;
  ko_point_ = is_ko ? undo.captured[0] : Point{kNoPoint};
  return num_captured_stones;
}

void Board::undo(const Undo &undo) {
  for (int i = undo.num_captured; i-- > 0;) uncapture(undo.captured[i], undo.colour);

  if (undo.chain != undo.point) std::swap(next_[undo.chain], next_[undo.point]);
  for (int i = undo.num_absorbed; i-- > 0;) {
    std::swap(next_[undo.chain], next_[undo.absorbed[i]]);
    relabel(undo.absorbed[i], undo.absorbed[i]);
    liberties_[undo.absorbed[i]].insert(undo.point);
  }
  liberties_[undo.chain] = undo.liberties;
  num_stones_[undo.chain] = undo.num_stones;
  next_[undo.point] = undo.next;
  chains_[undo.point] = undo.chain_at_point;

  colours_[undo.point] = kEmpty;
  stones_[undo.colour].erase(undo.point);
  key_ = undo.key;
  ko_point_ = undo.ko_point;
  const AdjacentChains adjacent = adjacent_chains(undo.point, undo.colour);
  for (int i = 0; i < adjacent.num_enemy; ++i) liberties_[adjacent.enemy[i]].insert(undo.point);
}

Board::AdjacentChains Board::adjacent_chains(int point, Colour colour) const {
  AdjacentChains adjacent;
  for (int q : neighbours(point)) {
    if (colours_[q] == kEmpty) continue;
    if (colours_[q] == colour)
      adjacent.num_own = add_distinct(adjacent.own, adjacent.num_own, chains_[q]);
    else
      adjacent.num_enemy = add_distinct(adjacent.enemy, adjacent.num_enemy, chains_[q]);
  }
  return adjacent;
}

void Board::place(int point, Colour colour) {
  colours_[point] = colour;
  stones_[colour].insert(point);
  key_ ^= kZobrist[point][colour];
}

// Makes the new stone one chain with its own neighbours; the largest of them keeps its name.
void Board::join_chains(int point, const AdjacentChains &adjacent, Undo &undo) {
  int chain = point;
  for (int i = 0; i < adjacent.num_own; ++i)
    if (chain == point || num_stones_[adjacent.own[i]] > num_stones_[chain])
      chain = adjacent.own[i];

  undo.chain = static_cast<Point>(chain);
  undo.liberties = liberties_[chain];
  undo.num_stones = num_stones_[chain];
  undo.next = next_[point];
  undo.chain_at_point = chains_[point];
  undo.num_absorbed = 0;

  if (chain == point) {
    liberties_[point].clear();
    num_stones_[point] = 0;
  } else {
    liberties_[chain].erase(point);
  }
  for (int i = 0; i < adjacent.num_own; ++i) {
    const Point absorbed = adjacent.own[i];
    if (absorbed == chain) continue;
    liberties_[absorbed].erase(point);
    liberties_[chain] |= liberties_[absorbed];
    num_stones_[chain] += num_stones_[absorbed];
    relabel(absorbed, chain);
    std::swap(next_[chain], next_[absorbed]);
    undo.absorbed[undo.num_absorbed++] = absorbed;
  }

  chains_[point] = static_cast<Point>(chain);
  next_[point] = static_cast<Point>(point);
  if (chain != point) std::swap(next_[chain], next_[point]);
  ++num_stones_[chain];
  for (int q : neighbours(point))
    if (colours_[q] == kEmpty) liberties_[chain].insert(q);
}

// Names the stones of a circular list, which is found at from_chain, by to_chain.
void Board::relabel(int from_chain, int to_chain) {
  for_each_stone(from_chain, [&](int q) { chains_[q] = static_cast<Point>(to_chain); });
}

int Board::capture(int chain, Colour capturer) {
  for_each_stone(chain, [&](int q) {
    colours_[q] = kEmpty;
    stones_[opponent(capturer)].erase(q);
    key_ ^= kZobrist[q][opponent(capturer)];
    for (int r : neighbours(q))
      if (colours_[r] == capturer) liberties_[chains_[r]].insert(q);
  });
  return num_stones_[chain];
}

void Board::uncapture(int chain, Colour capturer) {
  for_each_stone(chain, [&](int q) {
    colours_[q] = opponent(capturer);
    stones_[opponent(capturer)].insert(q);
    for (int r : neighbours(q))
      if (colours_[r] == capturer) liberties_[chains_[r]].erase(q);
  });
}

void Board::set_stones(const PointSet &black, const PointSet &white) {
  colours_ = {};
  stones_ = {PointSet{}, black, white};
  key_ = 0;
  ko_point_ = kNoPoint;
  chains_.fill(kNoPoint);
  for (Colour colour : {kBlack, kWhite})
    stones_[colour].for_each([&](int p) {
      colours_[p] = colour;
      key_ ^= kZobrist[p][colour];
    });
  for (Colour colour : {kBlack, kWhite})
    stones_[colour].for_each([&](int p) {
      if (chains_[p] == kNoPoint) build_chain(p);
    });
}

// Collects the chain of a stone that has none yet.
void Board::build_chain(int first) {
  std::array<Point, kMaxPoints> stack;
  int height = 0;
  const auto push = [&](int p) {
    chains_[p] = static_cast<Point>(first);
    next_[p] = next_[first];
    next_[first] = static_cast<Point>(p);
    ++num_stones_[first];
    stack[height++] = static_cast<Point>(p);
  };
  next_[first] = static_cast<Point>(first);
  num_stones_[first] = 0;
  liberties_[first].clear();
  push(first);
  while (height > 0) {
    const int p = stack[--height];
    for (int q : neighbours(p)) {
      if (colours_[q] == kEmpty)
        liberties_[first].insert(q);
      else if (colours_[q] == colours_[p] && chains_[q] == kNoPoint)
        push(q);
    }
  }
}

bool Board::is_consistent() const {
  Board fresh(size_);
  fresh.set_stones(stones_[kBlack], stones_[kWhite]);
  if (fresh.key_ != key_) return false;
  for (int p = 0; p < num_points(); ++p) {
    if (fresh.colours_[p] != colours_[p]) return false;
    if (colours_[p] == kEmpty) continue;
    const int chain = chains_[p], expected = fresh.chains_[p];
    if (chains_[chain] != chain || num_stones_[chain] != fresh.num_stones_[expected] ||
        !(liberties_[chain] == fresh.liberties_[expected]))
      return false;
    bool listed = false;
    for_each_stone(chain, [&](int q) { listed |= q == p; });
    if (!listed) return false;
  }
  return true;
}

}  // namespace golois
