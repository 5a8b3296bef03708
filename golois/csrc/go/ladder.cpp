#include "go/ladder.hpp"

#include <utility>

namespace golois {

bool LadderReader::is_caught(int stone) {
  stone_ = stone;
  looked_at_.clear();
  looked_at_.insert(stone);
  defender_ = board_.at(stone);
  num_nodes_ = 0;
  return board_.num_liberties(board_.chain_at(stone)) == 1 ? defender_loses(0) : attacker_wins(0);
}

PointSet LadderReader::footprint() const {
  PointSet footprint = geometry(board_.size()).beside(looked_at_);
  footprint |= looked_at_;
  return footprint;
}

// The defender moves: extends at the only liberty, or captures a neighbour in atari.
bool LadderReader::defender_loses(int depth) {
  if (is_over_budget(depth)) return false;
  if (board_.at(stone_) == kEmpty) return true;
  const int chain = board_.chain_at(stone_);
  if (board_.num_liberties(chain) == 0) return true;
  if (board_.num_liberties(chain) > 1) return false;

  const int extension = board_.liberties(chain).first();
  if (defence_works(extension, depth)) return false;
  PointSet captures = captures_of_neighbours(chain);
  captures.erase(extension);
  for (; !captures.empty(); captures.erase(captures.first()))
    if (defence_works(captures.first(), depth)) return false;
  return true;
}

// Where the defender captures an adjacent chain in atari.
PointSet LadderReader::captures_of_neighbours(int chain) {
  PointSet captures;
  board_.for_each_stone(chain, [&](int p) {
    looked_at_.insert(p);
    for (int q : board_.neighbours(p)) {
      if (is_in_atari(q, opponent(defender_))) captures |= board_.liberties(board_.chain_at(q));
    }
  });
  return captures;
}

// The attacker moves: captures, or plays one of two liberties, the more open one first.
bool LadderReader::attacker_wins(int depth) {
  if (is_over_budget(depth)) return false;
  if (board_.at(stone_) == kEmpty) return true;
  const int chain = board_.chain_at(stone_), num_liberties = board_.num_liberties(chain);
  if (num_liberties > 2) return false;
  if (num_liberties == 0) return true;
  int first = board_.liberties(chain).first();
  looked_at_.insert(first);
  if (num_liberties == 1) return board_.legality(first, opponent(defender_)) == Legality::kLegal;

  PointSet rest = board_.liberties(chain);
  rest.erase(first);
  int second = rest.first();
  looked_at_.insert(second);
  if (num_empty_neighbours(second) > num_empty_neighbours(first)) std::swap(first, second);
  return attack_works(first, second, depth) || attack_works(second, first, depth);
}

bool LadderReader::defence_works(int point, int depth) {
  looked_at_.insert(point);
  if (board_.contact_of(point, defender_).captures) {
    if (point == board_.ko_point()) return false;
  } else {
    const int num_liberties = num_liberties_after(point, kNoPoint);
    if (num_liberties == 0) return false;  // suicide
    if (num_liberties != 2) return is_over_budget(depth + 1) || num_liberties > 2;
  }
  Board::Undo undo;
  board_.play(point, defender_, undo);
  const bool works = !attacker_wins(depth + 1);
  board_.undo(undo);
  return works;
}

bool LadderReader::attack_works(int point, int answer, int depth) {
  const Board::Contact contact = board_.contact_of(point, opponent(defender_));
  if (contact.captures) {
    if (point == board_.ko_point()) return false;
  } else {
    if (!contact.breathes) return false;  // suicide
    if (num_liberties_after(answer, point) > 2) {
      num_nodes_ += 2;  // the defender's turn, then the attacker's
      return false;
    }
  }
  Board::Undo undo;
  board_.play(point, opponent(defender_), undo);
  const bool works = defender_loses(depth + 1);
  board_.undo(undo);
  return works;
}

// How many liberties the chain has once the defender has extended to `point`, and captured nothing,
// and the attacker has taken its only other liberty `taken`. Most extensions need not be played to
// see that they escape or fail; their nodes are counted all the same.
int LadderReader::num_liberties_after(int point, int taken) const {
  const int chain = board_.chain_at(stone_);
  int num_empty = 0;
  bool joins = false;
  for (int q : board_.neighbours(point)) {
    num_empty += (board_.at(q) == kEmpty) & (q != taken);
    joins |= (board_.at(q) == defender_) & (board_.chain_at(q) != chain);
  }
  if (!joins) return num_empty;

  PointSet liberties;
  for (int q : board_.neighbours(point))
    liberties |= board_.liberties(choose(board_.at(q) == defender_, board_.chain_at(q), chain));
  for (int q : board_.neighbours(point)) liberties.insert_if(board_.at(q) == kEmpty, q);
  liberties.erase(point);
  if (taken != kNoPoint) liberties.erase(taken);
  return liberties.size();
}

bool LadderReader::is_in_atari(int point, Colour colour) const {
  return (board_.at(point) == colour) & (board_.num_liberties(board_.chain_at(point)) == 1);
}

int LadderReader::num_empty_neighbours(int point) const {
  int count = 0;
  for (int q : board_.neighbours(point)) count += board_.at(q) == kEmpty;
  return count;
}

}  // namespace golois
