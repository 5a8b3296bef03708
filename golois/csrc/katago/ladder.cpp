#include "katago/ladder.hpp"

#include <algorithm>
#include <utility>

namespace golois {

KatagoLadder KatagoLadderReader::read(int stone) {
  stone_ = stone;
  defender_ = board_.at(stone);
  looked_at_.clear();
  looked_at_.insert(stone);
  KatagoLadder ladder{{}, {kNoPoint, kNoPoint}, static_cast<Point>(stone), false};
  const int chain = board_.chain_at(stone);
  if (board_.num_liberties(chain) == 1) {
    Board::Undo ko;
    ko.ko_point = static_cast<Point>(board_.ko_point());
    board_.clear_ko();
    num_moves_ = 0;
    ladder.is_caught = defender_loses(0);
    board_.restore_ko(ko);
  } else {
    PointSet liberties = board_.liberties(chain);
    looked_at_ |= liberties;
    const int first = liberties.first();
    liberties.erase(first);
    const int second = liberties.first();
    if (first_attack_works(first, second)) ladder.working[0] = static_cast<Point>(first);
    if (first_attack_works(second, first)) ladder.working[1] = static_cast<Point>(second);
    ladder.is_caught = ladder.working[0] != kNoPoint || ladder.working[1] != kNoPoint;
  }
  ladder.footprint = geometry(board_.size()).beside(looked_at_);
  ladder.footprint |= looked_at_;
  return ladder;
}

bool KatagoLadderReader::first_attack_works(int point, int answer) {
  if (!can_play(point, opponent(defender_)) || attack_is_lost(point, answer)) return false;
  Board::Undo undo;
  board_.play(point, opponent(defender_), undo);
  board_.clear_ko();
  num_moves_ = 1;
  const bool works = defender_loses(1);
  board_.undo(undo);
  return works;
}

// The defender moves: extends at the only liberty, or captures a neighbour in atari. Extensions
// that escape at once come first.
bool KatagoLadderReader::defender_loses(int depth) {
  if (num_moves_ > kMaxMoves || depth > kMaxDepth) return false;
  const int chain = board_.chain_at(stone_);
  if (board_.num_liberties(chain) > 1 || board_.ko_point() != kNoPoint) return false;

  const int extension = board_.liberties(chain).first();
  looked_at_.insert(extension);
  const bool captures_there = board_.contact_of(extension, defender_).captures;
  const int liberties_there = captures_there ? 2 : num_liberties_after(extension, kNoPoint);
  if (liberties_there > 2) return false;
  PointSet captures = captures_of_neighbours(chain);
  captures.erase(extension);
  for (; !captures.empty(); captures.erase(captures.first()))
    if (defence_works(captures.first(), depth)) return false;
  return liberties_there < 2 || !defence_works(extension, depth);
}

// Where the defender captures an adjacent chain in atari.
PointSet KatagoLadderReader::captures_of_neighbours(int chain) {
  PointSet captures;
  board_.for_each_stone(chain, [&](int p) {
    looked_at_.insert(p);
    for (int q : board_.neighbours(p))
      if ((board_.at(q) == opponent(defender_)) & (board_.num_liberties(board_.chain_at(q)) == 1))
        captures |= board_.liberties(board_.chain_at(q));
  });
  return captures;
}

// The attacker moves: plays one of two liberties, the more open one first.
bool KatagoLadderReader::attacker_wins(int depth) {
  const int chain = board_.chain_at(stone_), num_liberties = board_.num_liberties(chain);
  if (num_liberties != 2) return num_liberties < 2;
  PointSet rest = board_.liberties(chain);
  looked_at_ |= rest;
  int first = rest.first();
  rest.erase(first);
  int second = rest.first();
  const int open_first = num_empty_neighbours(first), open_second = num_empty_neighbours(second);
  if (open_first + open_second == 0 && is_double_ko(chain, first, second)) return true;
  if (open_second > open_first) std::swap(first, second);
  return attack_works(first, second, depth) || attack_works(second, first, depth);
}

bool KatagoLadderReader::defence_works(int point, int depth) {
  looked_at_.insert(point);
  ++num_moves_;
  Board::Undo undo;
  board_.play(point, defender_, undo);
  const bool works = !attacker_wins(depth + 1);
  board_.undo(undo);
  return works;
}

bool KatagoLadderReader::attack_works(int point, int answer, int depth) {
  if (!can_play(point, opponent(defender_)) || attack_is_lost(point, answer)) return false;
  ++num_moves_;
  Board::Undo undo;
  board_.play(point, opponent(defender_), undo);
  const bool works = defender_loses(depth + 1);
  board_.undo(undo);
  return works;
}

// Whether the defender's answer escapes from an attack that captures nothing, which need not be
// played then.
bool KatagoLadderReader::attack_is_lost(int point, int answer) const {
  return !board_.contact_of(point, opponent(defender_)).captures &&
         num_liberties_after(answer, point) > 2;
}

// Two kos beside the chain, of which the attacker can always take one: filling either gains no
// liberty, and the defender captures nothing elsewhere.
bool KatagoLadderReader::is_double_ko(int chain, int first, int second) {
  for (int point : {first, second})
    if (!would_take_ko(point) || num_liberties_after(point, kNoPoint) > 2) return false;
  return captures_of_neighbours(chain).empty();
}

// Whether the attacker would take a single stone, and nothing else, from among the defender's.
bool KatagoLadderReader::would_take_ko(int point) const {
  int taken = kNoPoint;
  for (int q : board_.neighbours(point)) {
    if (q == kOffBoard) continue;
    if (board_.at(q) != defender_) return false;
    if (board_.num_liberties(board_.chain_at(q)) != 1) continue;
    if (taken != kNoPoint) return false;
    taken = q;
  }
  return taken != kNoPoint && board_.num_stones(board_.chain_at(taken)) == 1;
}

// How many liberties the chain has once the defender has extended to `point`, and captured nothing,
// and the attacker has taken the liberty `taken`.
int KatagoLadderReader::num_liberties_after(int point, int taken) const {
  PointSet liberties = board_.liberties(board_.chain_at(stone_));
  for (int q : board_.neighbours(point)) {
    if (board_.at(q) == defender_) liberties |= board_.liberties(board_.chain_at(q));
    liberties.insert_if(board_.at(q) == kEmpty, q);
  }
  liberties.erase(point);
  if (taken != kNoPoint) liberties.erase(taken);
  return liberties.size();
}

int KatagoLadderReader::num_empty_neighbours(int point) const {
  int count = 0;
  for (int q : board_.neighbours(point)) count += board_.at(q) == kEmpty;
  return count;
}

ShownLadders KatagoLadders::read(Board &board, const PointSet &changed) {
  const auto is_stale = [&](const KatagoLadder &ladder) { return ladder.footprint.meets(changed); };
  ladders_.erase(std::remove_if(ladders_.begin(), ladders_.end(), is_stale), ladders_.end());
  PointSet known;
  for (const KatagoLadder &ladder : ladders_) known.insert(board.chain_at(ladder.stone));
  KatagoLadderReader reader(board);
  board.for_each_chain([&](int chain) {
    if (board.num_liberties(chain) <= 2 && !known.contains(chain))
      ladders_.push_back(reader.read(chain));
  });

  ShownLadders shown;
  for (const KatagoLadder &ladder : ladders_) {
    if (!ladder.is_caught) continue;
    board.for_each_stone(board.chain_at(ladder.stone), [&](int p) { shown.caught.insert(p); });
    for (int point : ladder.working)
      if (point != kNoPoint) shown.working[opponent(board.at(ladder.stone))].insert(point);
  }
  return shown;
}

}  // namespace golois
