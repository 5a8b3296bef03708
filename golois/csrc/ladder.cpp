#include "ladder.hpp"

#include <utility>

namespace golois {

bool LadderReader::is_lost(int stone) {
  start(stone);
  return defender_loses(0);
}

bool LadderReader::can_be_caught(int stone) {
  start(stone);
  return attacker_wins(0);
}

void LadderReader::start(int stone) {
  stone_ = stone;
  defender_ = board_.at(stone);
  num_nodes_ = 0;
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
PointSet LadderReader::captures_of_neighbours(int chain) const {
  PointSet captures;
  board_.for_each_stone(chain, [&](int p) {
    for (int q : board_.neighbours(p)) {
      if (is_in_atari(q, opponent(defender_))) captures |= board_.liberties(board_.chain_at(q));
    }
  });
  return captures;
}

// The attacker moves: captures, or plays one of two liberties, the roomier one first.
bool LadderReader::attacker_wins(int depth) {
  if (is_over_budget(depth)) return false;
  if (board_.at(stone_) == kEmpty) return true;
  const int chain = board_.chain_at(stone_), num_liberties = board_.num_liberties(chain);
  if (num_liberties > 2) return false;
  if (num_liberties == 0) return true;
  int first = board_.liberties(chain).first();
  if (num_liberties == 1) return board_.legality(first, opponent(defender_)) == Legality::kLegal;

  PointSet rest = board_.liberties(chain);
  rest.erase(first);
  int second = rest.first();
  if (num_empty_neighbours(second) > num_empty_neighbours(first)) std::swap(first, second);
  return attack_works(first, second, depth) || attack_works(second, first, depth);
}

bool LadderReader::defence_works(int point, int depth) {
  if (board_.legality(point, defender_) != Legality::kLegal) return false;
  if (escapes_by(point, kNoPoint)) {
    ++num_nodes_;  // the attacker's look at three liberties
    return true;
  }
  Board::Undo undo;
  board_.play(point, defender_, undo);
  const bool works = !attacker_wins(depth + 1);
  board_.undo(undo);
  return works;
}

bool LadderReader::attack_works(int point, int answer, int depth) {
  if (board_.legality(point, opponent(defender_)) != Legality::kLegal) return false;
  if (!captures(point) && escapes_by(answer, point)) {
    num_nodes_ += 2;  // the defender's turn, then the attacker's look at three liberties
    return false;
  }
  Board::Undo undo;
  board_.play(point, opponent(defender_), undo);
  const bool works = defender_loses(depth + 1);
  board_.undo(undo);
  return works;
}

// Whether the chain surely has three liberties once the defender has played at `point` and the attacker at `taken`; seen
// without playing. The shortcut changes no answer, and its caller counts the nodes that it saves.
bool LadderReader::escapes_by(int point, int taken) const {
  const int chain = board_.chain_at(stone_);
  if (!board_.liberties(chain).contains(point)) return false;
  PointSet liberties = board_.liberties(chain);
  for (int q : board_.neighbours(point)) {
    if (board_.at(q) == kEmpty)
      liberties.insert(q);
    else if (board_.at(q) == defender_)
      liberties |= board_.liberties(board_.chain_at(q));
  }
  liberties.erase(point);
  if (taken != kNoPoint) liberties.erase(taken);
  return liberties.size() >= 3;
}

// Whether an attacker's stone at `point` takes any stones.
bool LadderReader::captures(int point) const {
  for (int q : board_.neighbours(point))
    if (is_in_atari(q, defender_)) return true;
  return false;
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
