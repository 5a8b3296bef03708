#include "go/board.hpp"

#include <algorithm>
#include <utility>

namespace golois {

Board::Board(int size) : geometry_(&geometry(size)), size_(size) {
  colours_[kOffBoard] = kEdge;
  chains_.fill(kNoChain);
}

Legality Board::legality(int point, Colour colour) const {
  if (point < 0 || point >= num_points()) return Legality::kOutOfRange;
  if (colours_[point] != kEmpty) return Legality::kOccupied;
  const Contact contact = contact_of(point, colour);
  if (contact.captures) return point == ko_point_ ? Legality::kKo : Legality::kLegal;
  return contact.breathes ? Legality::kLegal : Legality::kSuicide;
}

uint64_t Board::key_after(int point, Colour colour) const {
  uint64_t key = key_ ^ kZobrist[point][colour];
  if (!contact_of(point, colour).captures) return key;
  PointSet captured;
  for (int q : neighbours(point))
    if (colours_[q] == opponent(colour) && num_liberties_[chains_[q]] == 1)
      for_each_stone(chains_[q], [&](int r) { captured.insert(r); });
  captured.for_each([&](int q) { key ^= kZobrist[q][opponent(colour)]; });
  return key;
}

int Board::play(int point, Colour colour, Undo &undo) {
  undo.point = static_cast<Point>(point);
  undo.colour = colour;
  undo.key = key_;
  undo.ko_point = ko_point_;
  undo.num_captured = 0;

  undo.chain = static_cast<Point>(largest_neighbour(point, colour));
  undo.liberties = liberties_[undo.chain];
  undo.num_liberties = num_liberties_[undo.chain];
  undo.num_stones = num_stones_[undo.chain];
  undo.next = next_[point];

  place(point, colour);
  remove_liberty_around(point);
  join_chains(point, undo);

  int num_captured_stones = 0;
  for (int q : neighbours(point))
    if ((colours_[q] == opponent(colour)) & (num_liberties_[chains_[q]] == 0)) {
      undo.captured[undo.num_captured++] = chains_[q];
      num_captured_stones += capture(chains_[q], colour);
    }

  const int chain = chains_[point];
  const bool is_ko =
      num_captured_stones == 1 && num_stones_[chain] == 1 && num_liberties_[chain] == 1;
  ko_point_ = is_ko ? undo.captured[0] : Point{kNoPoint};
  return num_captured_stones;
}

int Board::play_suicide(int point, Colour colour) {
  play(point, colour);
  return capture(chains_[point], opponent(colour));
}

PointSet Board::changed_by(const Undo &undo) const {
  PointSet changed;
  const auto add = [&](int p) { changed.insert(p); };
  const auto add_around = [&](int p) {
    add(p);
    for (int q : neighbours(p))
      if (chains_[q] != kNoChain && !changed.contains(q)) for_each_stone(chains_[q], add);
  };
  for_each_stone(chains_[undo.point], add);
  add_around(undo.point);
  for (int i = 0; i < undo.num_captured; ++i) for_each_stone(undo.captured[i], add_around);
  return changed;
}

void Board::undo(const Undo &undo) {
  for (int i = undo.num_captured; i-- > 0;) uncapture(undo.captured[i], undo.colour);

  std::swap(next_[undo.chain], next_[undo.point]);
  for (int i = undo.num_absorbed; i-- > 0;) {
    std::swap(next_[undo.chain], next_[undo.absorbed[i]]);
    relabel(undo.absorbed[i], undo.absorbed[i]);
  }
  liberties_[undo.chain] = undo.liberties;
  num_liberties_[undo.chain] = undo.num_liberties;
  num_stones_[undo.chain] = undo.num_stones;
  next_[undo.point] = undo.next;
  chains_[undo.point] = kNoChain;

  colours_[undo.point] = kEmpty;
  stones_[undo.colour].erase(undo.point);
  key_ = undo.key;
  ko_point_ = undo.ko_point;
  add_liberty_around(undo.point);
}

void Board::place(int point, Colour colour) {
  colours_[point] = colour;
  stones_[colour].insert(point);
  key_ ^= kZobrist[point][colour];
}

// The largest chain of the colour beside an empty point, or the point itself.
int Board::largest_neighbour(int point, Colour colour) const {
  int largest = point, num_stones = 0;
  for (int q : neighbours(point)) {
    const int chain = chains_[q];
    const bool is_larger = (colours_[q] == colour) & (num_stones_[chain] > num_stones);
    largest = choose(is_larger, chain, largest);
    num_stones = choose(is_larger, num_stones_[chain], num_stones);
  }
  return largest;
}

// Joins the new stone and its own neighbours into one chain, which keeps the name of undo.chain.
void Board::join_chains(int point, Undo &undo) {
  const Colour colour = colours_[point];
  const int chain = undo.chain;
  undo.num_absorbed = 0;
  if (chain == point) start_chain(point);
  for (int q : neighbours(point))
    if ((colours_[q] == colour) & (chains_[q] != chain)) {
      undo.absorbed[undo.num_absorbed++] = chains_[q];
      absorb(chain, chains_[q]);
    }
  append(chain, point);
  add_liberties_of(chain, point);
}

// Makes a chain without stones or liberties, for append() to add the first stone, which names it.
void Board::start_chain(int point) {
  next_[point] = static_cast<Point>(point);
  num_stones_[point] = 0;
  num_liberties_[point] = 0;
  liberties_[point].clear();
}

void Board::append(int chain, int point) {
  chains_[point] = static_cast<Point>(chain);
  next_[point] = next_[chain];
  next_[chain] = static_cast<Point>(point);
  ++num_stones_[chain];
}

void Board::absorb(int chain, int absorbed) {
  liberties_[chain] |= liberties_[absorbed];
  num_liberties_[chain] = static_cast<Point>(liberties_[chain].size());
  num_stones_[chain] += num_stones_[absorbed];
  relabel(absorbed, chain);
  std::swap(next_[chain], next_[absorbed]);
}

// Names the stones of a ring, which is found at from_chain, by to_chain.
void Board::relabel(int from_chain, int to_chain) {
  for_each_stone(from_chain, [&](int q) { chains_[q] = static_cast<Point>(to_chain); });
}

int Board::capture(int chain, Colour capturer) {
  for_each_stone(chain, [&](int q) {
    colours_[q] = kEmpty;
    stones_[opponent(capturer)].erase(q);
    key_ ^= kZobrist[q][opponent(capturer)];
  });
  relabel(chain, kNoChain);
  for_each_stone(chain, [&](int q) { add_liberty_around(q); });
  return num_stones_[chain];
}

void Board::uncapture(int chain, Colour capturer) {
  for_each_stone(chain, [&](int q) {
    colours_[q] = opponent(capturer);
    stones_[opponent(capturer)].insert(q);
    remove_liberty_around(q);
  });
  relabel(chain, chain);
}

void Board::set_stones(const PointSet &black, const PointSet &white) {
  stones_ = {PointSet{}, black, white};
  key_ = 0;
  ko_point_ = kNoPoint;
  std::fill_n(colours_.begin(), kMaxPoints, kEmpty);
  chains_.fill(kNoChain);
  for (Colour colour : {kBlack, kWhite})
    stones_[colour].for_each([&](int p) {
      colours_[p] = colour;
      key_ ^= kZobrist[p][colour];
    });
  PointSet both = black;
  both |= white;
  both.for_each([&](int p) { chain_up(p); });
  const PointSet empty = geometry_->points - both;
  for_each_chain([&](int chain) {
    PointSet liberties = geometry_->beside(liberties_[chain]);
    liberties &= empty;
    liberties_[chain] = liberties;
    num_liberties_[chain] = static_cast<Point>(liberties.size());
  });
}

// Joins a stone with those above and to the left of it, when all stones before it have their
// chains, named by their lowest stones. The chains hold their stones in the place of their
// liberties.
void Board::chain_up(int point) {
  const auto own_chain_at = [&](int q) {
    return choose(colours_[q] == colours_[point], chains_[q], kNoChain);
  };
  const int above = own_chain_at(neighbours(point)[0]), left = own_chain_at(neighbours(point)[1]);
  const int lower = choose(above < left, above, left), higher = choose(above < left, left, above);
  const int chain = choose(lower < point, lower, point);
  start_chain(point);
  append(chain, point);
  liberties_[chain].insert(point);
  if (higher != kNoChain && lower != higher) absorb(lower, higher);
}

bool Board::is_consistent() const {
  Board fresh(size_);
  fresh.set_stones(stones_[kBlack], stones_[kWhite]);
  if (fresh.key_ != key_) return false;
  for (int p = 0; p < num_points(); ++p) {
    if (fresh.colours_[p] != colours_[p]) return false;
    if ((colours_[p] == kEmpty) != (chains_[p] == kNoChain)) return false;
    if (colours_[p] == kEmpty) continue;
    const int chain = chains_[p], expected = fresh.chains_[p];
    if (chains_[chain] != chain || num_stones_[chain] != fresh.num_stones_[expected] ||
        num_liberties_[chain] != fresh.num_liberties_[expected] ||
        !(liberties_[chain] == fresh.liberties_[expected]))
      return false;
    bool listed = false;
    for_each_stone(chain, [&](int q) { listed |= q == p; });
    if (!listed) return false;
  }
  return true;
}

}  // namespace golois
