#include "position.hpp"

namespace golois {

Position::Position(int size) : board_(size) { keys_.push(board_.key()); }

std::array<Stones, Position::kHistory> Position::recent() const {
  std::array<Stones, kHistory> stones;
  for (int ago = 0; ago < kHistory; ++ago) stones[ago] = stones_ago(ago);
  return stones;
}

Legality Position::legality(int point, Colour colour) const {
  if (point == pass()) return Legality::kLegal;
  const Legality without_superko = board_.legality(point, colour);
  if (without_superko != Legality::kLegal) return without_superko;
  return keys_.contains(board_.key_after(point, colour)) ? Legality::kSuperko : Legality::kLegal;
}

Legality Position::play(int point, Colour colour) {
  const Legality result = legality(point, colour);
  if (result == Legality::kLegal) play_unchecked(point, colour);
  return result;
}

void Position::play_unchecked(int point, Colour colour) {
  if (point == pass()) {
    board_.clear_ko();
    ++num_consecutive_passes_;
  } else {
    board_.play(point, colour);
    keys_.push(board_.key());
    num_consecutive_passes_ = 0;
  }
  ++num_moves_;
  recent_[num_moves_ % kHistory] = {board_.stones(kBlack), board_.stones(kWhite)};
  to_play_ = opponent(colour);
}

}  // namespace golois
