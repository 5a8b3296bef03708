#include "katago/game.hpp"

#include <algorithm>
#include <string>

#include "kit/error.hpp"

namespace golois {

void require_katago_size(int size) {
  if (size != kMaxSize)
    throw Error("KataGo's inputs are those of a 19×19 board, not of " + std::to_string(size) + "×" +
                std::to_string(size));
}

KatagoGame::KatagoGame(const KatagoRules &rules, const Stones &setup, Colour first)
    : rules_(rules), board_(kMaxSize), to_play_(first) {
  board_.set_stones(setup.black, setup.white);
  board_.for_each_chain([&](int chain) {
    if (board_.num_liberties(chain) == 0)
      throw Error("the stones set up have a chain without liberties");
  });
  remember_position();
  read_ladders();
}

// The boards that ladders are read on are played again, from one before them, which gives them
// their kos.
KatagoGame::KatagoGame(double komi, const Position &position)
    : rules_{komi, KoRule::kPositional, false}, board_(kMaxSize), to_play_(position.to_play()) {
  require_katago_size(position.size());
  int ago = std::min(position.num_moves(), Position::kHistory - 1);
  for (; ago > kShownBoards; --ago)
    add_move(position.state_ago(ago - 1).move, position.state_ago(ago - 1).mover);
  board_.set_stones(position.stones_ago(ago).black, position.stones_ago(ago).white);
  for (read_ladders(); ago > 0; --ago) {
    const Position::State &state = position.state_ago(ago - 1);
    add_move(state.move, state.mover);
    play_on_board(state.move, state.mover);
    read_ladders();
  }
  to_play_ = position.to_play();
  taken_ = position.taken();
  keys_ = position.keys();
}

void KatagoGame::play(int point) {
  if (point != kPass19) {
    const Legality legality = board_.legality(point, to_play_);
    if (legality == Legality::kOutOfRange) throw Error("is not on the board");
    if (legality == Legality::kOccupied) throw Error("is occupied");
    if (legality == Legality::kSuicide && !is_suicide(point)) throw Error("is suicide");
  }
  add_move(point, to_play_);
  play_on_board(point, opponent(to_play_));
  remember_position();
}

void KatagoGame::play_on_board(int point, Colour colour) {
  const auto change_ko = [&] {
    if (board_.ko_point() != kNoPoint) changed_.insert(board_.ko_point());
  };
  std::copy_backward(ladders_.begin(), ladders_.end() - 1, ladders_.end());
  change_ko();
  if (point == kPass19) {
    if (rules_.ko == KoRule::kSimple) passed_[colour].push(board_.key());
    board_.clear_ko();
    return;
  }
  const Board::Contact contact = board_.contact_of(point, colour);
  const PointSet own = board_.stones(colour), theirs = board_.stones(opponent(colour));
  if (contact.captures || contact.breathes) {
    Board::Undo undo;
    board_.play(point, colour, undo);
    changed_ |= board_.changed_by(undo);
  } else {
    board_.play_suicide(point, colour);
    changed_ = geometry(kMaxSize).points;
  }
  taken_ |= own - board_.stones(colour);
  taken_ |= theirs - board_.stones(opponent(colour));
  change_ko();
}

void KatagoGame::add_move(int point, Colour colour) {
  const bool ends = point == kPass19 && pass_would_end();
  num_in_view_ = ends ? 1 : num_in_view_ + 1;
  moves_[num_moves_++ % kShownMoves] = {static_cast<Point>(point), colour};
  to_play_ = opponent(colour);
}

void KatagoGame::remember_position() {
  if (rules_.ko != KoRule::kSimple) keys_.push(key_of(board_.key(), to_play_));
}

void KatagoGame::read_ladders() {
  ladders_[0] = memory_.read(board_, changed_);
  changed_.clear();
}

int KatagoGame::num_shown_moves() const {
  const int most = std::min(num_in_view_, kShownMoves);
  Colour colour = opponent(to_play_);
  int num_moves = 0;
  for (; num_moves < most && move_ago(num_moves).colour == colour; ++num_moves)
    colour = opponent(colour);
  return num_moves;
}

bool KatagoGame::pass_would_end() const {
  return (num_moves_ > 0 && move_ago(0).point == kPass19) ||
         passed_[to_play_].contains(board_.key());
}

KatagoGame::Moves KatagoGame::moves() const {
  const PointSet empty = board_.empty_points(), open = empty & geometry(kMaxSize).beside(empty);
  Moves moves{open, {}};
  PointSet suspects = taken_ & open;
  (empty - open).for_each([&](int p) {
    const Board::Contact contact = board_.contact_of(p, to_play_);
    const bool is_regular = contact.captures || contact.breathes;
    if (!is_regular && !is_suicide(p)) return;
    moves.possible.insert(p);
    if (!is_regular || taken_.contains(p)) suspects.insert(p);
  });
  if (board_.ko_point() != kNoPoint) moves.forbidden.insert(board_.ko_point());
  if (rules_.ko == KoRule::kSimple) return moves;
  suspects.for_each([&](int p) {
    if (keys_.contains(key_of(key_after(p), opponent(to_play_)))) moves.forbidden.insert(p);
  });
  return moves;
}

// Whether a point without a liberty is a move all the same: beside an own chain.
bool KatagoGame::is_suicide(int point) const {
  const Neighbours &beside = board_.neighbours(point);
  return rules_.allows_suicide &&
         std::any_of(beside.begin(), beside.end(), [&](int q) { return board_.at(q) == to_play_; });
}

uint64_t KatagoGame::key_after(int point) const {
  const Board::Contact contact = board_.contact_of(point, to_play_);
  if (contact.captures || contact.breathes) return board_.key_after(point, to_play_);
  Board after = board_;
  after.play_suicide(point, to_play_);
  return after.key();
}

uint64_t KatagoGame::key_of(uint64_t stones, Colour to_play) const {
  return rules_.ko == KoRule::kSituational && to_play == kWhite ? mix64(stones) : stones;
}

}  // namespace golois
