#include "data/replay.hpp"

namespace golois {

Replay::Replay(const PackedGame &game)
    : game_(game), capture_(game.captures_begin()), captures_end_(game.captures_end()),
      num_points_(game.type().num_points()) {
  find_next_capture();
}

void Replay::advance_to(int num_moves) {
  while (index_ < num_moves) {
    const bool captures = next_capture_ < num_moves;
    for (const int end = captures ? next_capture_ + 1 : num_moves; index_ < end; ++index_) {
      const int point = game_.move(index_).point();
      if (point < num_points_) stones_.of(game_.colour(index_)).insert(point);
    }
    if (captures) take_captured_stones();
  }
}

void Replay::take_captured_stones() {
  for (++capture_; capture_ != captures_end_ && *capture_ < num_points_; ++capture_) {
    stones_.black.erase(*capture_);
    stones_.white.erase(*capture_);
  }
  if (capture_ != captures_end_ && *capture_ >> 14 == kPlacedMark >> 14) {
    const int point = *capture_++ & ~kPlacedMark;
    if (point < num_points_) stones_.of(game_.colour(next_capture_)).insert(point);
  }
  find_next_capture();
}

void Replay::find_next_capture() {
  next_capture_ = capture_ == captures_end_ ? kMaxMoves : *capture_ & ~kCaptureMark;
}

}  // namespace golois
