#include "go/position.hpp"

namespace golois {

Position::Position(int size) : board_(size) { keys_.push(board_.key()); }

uint64_t Position::recent_key(int num_states) const {
  uint64_t key = to_play_;
  for (int ago = 0; ago < num_states; ++ago) key = mix64(key ^ state_ago(ago).key);
  return key;
}

Legality Position::legality(int point, Colour colour) const {
  if (point == pass()) return Legality::kLegal;
  const Legality without_superko = board_.legality(point, colour);
  if (without_superko != Legality::kLegal) return without_superko;
  return would_repeat(point, colour) ? Legality::kSuperko : Legality::kLegal;
}

Legality Position::play(int point, Colour colour) {
  const Legality result = legality(point, colour);
  if (result == Legality::kLegal) play_unchecked(point, colour);
  return result;
}

void Position::play_unchecked(int point, Colour colour, Undo &undo) {
  undo.num_consecutive_passes = num_consecutive_passes_;
  undo.to_play = to_play_;
  undo.is_pass = point == pass();
  undo.taken = taken_;
  if (undo.is_pass) {
    undo.board.ko_point = static_cast<Point>(board_.ko_point());
    board_.clear_ko();
    const bool is_answer = state_ago(0).mover == opponent(colour);  // two of one colour don't count
    num_consecutive_passes_ = is_answer ? num_consecutive_passes_ + 1 : 1;
  } else {
    const PointSet enemies = board_.stones(opponent(colour));
    if (board_.play(point, colour, undo.board) > 0)
      taken_ |= enemies - board_.stones(opponent(colour));
    undo.is_new_key = keys_.push(board_.key());
    num_consecutive_passes_ = 0;
  }
  ++num_moves_;
  State &present = recent_[num_moves_ % kHistory];
  undo.oldest = present;
  present = {{board_.stones(kBlack), board_.stones(kWhite)},
             board_.key(),
             static_cast<Point>(point),
             colour};
  to_play_ = opponent(colour);
}

void Position::undo(const Undo &undo) {
  recent_[num_moves_ % kHistory] = undo.oldest;
  --num_moves_;
  if (undo.is_pass) {
    board_.restore_ko(undo.board);
  } else {
    keys_.pop(undo.is_new_key);
    board_.undo(undo.board);
  }
  taken_ = undo.taken;
  num_consecutive_passes_ = undo.num_consecutive_passes;
  to_play_ = undo.to_play;
}

}  // namespace golois
