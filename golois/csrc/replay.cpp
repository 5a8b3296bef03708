#include "replay.hpp"

namespace golois {

namespace {

// Plays a record's moves and captures one after the other.
class Player {
 public:
  explicit Player(const PackedGame &game)
      : game_(game), capture_(game.captures_begin()), end_(game.captures_end()) {}

  void play_next() {
    const int point = game_.move(index_).point();
    if (point < kMaxPoints) (game_.colour(index_) == kBlack ? stones_.black : stones_.white).insert(point);
    if (capture_ != end_ && *capture_ == (kCaptureMark | index_)) take_captured_stones();
    ++index_;
  }

  const Stones &stones() const { return stones_; }

 private:
  void take_captured_stones() {
    for (++capture_; capture_ != end_ && *capture_ < kMaxPoints; ++capture_) {
      stones_.black.erase(*capture_);
      stones_.white.erase(*capture_);
    }
  }

  const PackedGame &game_;
  const uint16_t *capture_, *end_;
  int index_ = 0;
  Stones stones_;
};

}  // namespace

Moment replay(const PackedGame &game, int num_moves) {
  Moment moment{};
  Player player(game);
  for (int i = 0; i < num_moves; ++i) {
    player.play_next();
    const int ago = num_moves - 1 - i;
    if (ago < Position::kHistory) moment.recent[ago] = player.stones();
  }
  moment.to_play = num_moves == 0 ? kBlack : opponent(game.colour(num_moves - 1));
  return moment;
}

}  // namespace golois
