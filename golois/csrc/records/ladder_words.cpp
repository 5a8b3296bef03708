#include "records/ladder_words.hpp"

#include <string>
#include <utility>

#include "kit/error.hpp"

namespace golois {

namespace {

class WordWriter {
 public:
  void flip(int num_moves, int point) {
    for (; num_moves - last_ > kMaxMovesBetweenFlips; last_ += kMaxMovesBetweenFlips)
      add(kMaxMovesBetweenFlips, kNoFlip);
    add(num_moves - last_, point);
    last_ = num_moves;
  }
  std::vector<uint16_t> take() { return std::move(words_); }

 private:
  void add(int num_moves_between, int point) {
    words_.push_back(static_cast<uint16_t>(num_moves_between << 9 | point));
  }

  std::vector<uint16_t> words_;
  int last_ = 0;
};

// Marks that are still good stay, so that few words say what has changed.
PointSet marks_of(const Board &board, LadderMemory &ladders, const PointSet &marks_before) {
  PointSet marks;
  board.for_each_chain([&](int chain) {
    if (board.num_liberties(chain) > 2 || !ladders.is_caught(chain)) return;
    bool is_marked = false;
    board.for_each_stone(chain,
                         [&](int p) { is_marked |= marks.insert_if(marks_before.contains(p), p); });
    if (!is_marked) marks.insert(chain);
  });
  return marks;
}

}  // namespace

std::vector<uint16_t> ladder_words(const PackedGame &game) {
  Board board(game.type().size);
  std::vector<LadderReading> before, readings;
  PointSet marks;
  WordWriter words;
  for (int i = 0; i < game.num_moves(); ++i) {
    const int point = game.move(i).point();
    if (point == kPass19) continue;
    board.clear_ko();
    if (board.legality(point, game.colour(i)) != Legality::kLegal)
      throw Error("an illegal move, number " + std::to_string(i + 1));
    Board::Undo undo;
    board.play(point, game.colour(i), undo);
    LadderMemory ladders(board, {before.data(), static_cast<int>(before.size())},
                         board.changed_by(undo), readings);
    const PointSet now = marks_of(board, ladders, marks);
    (now - marks).for_each([&](int p) { words.flip(i + 1, p); });
    (marks - now).for_each([&](int p) { words.flip(i + 1, p); });
    marks = now;
    std::swap(before, readings);
  }
  return words.take();
}

PointSet marked_stones(LadderWords words, int num_moves) {
  PointSet marks;
  int at = 0;
  for (const uint16_t *word = words.begin; word != words.end; ++word) {
    at += *word >> 9;
    if (at > num_moves) break;
    const int point = *word & 511;
    if (point < kMaxPoints) marks.flip(point);
  }
  return marks;
}

}  // namespace golois
