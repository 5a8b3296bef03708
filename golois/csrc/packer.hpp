// Replays recorded games and packs them as words and rows (record.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "board.hpp"
#include "record.hpp"
#include "recorded_game.hpp"

namespace golois {

// The {rules, source} pairs that rows refer to. Pair 0 is empty; it also stands for what doesn't fit into 16 bits.
class TextTable {
 public:
  using Texts = std::pair<std::string, std::string>;

  uint16_t index_of(const Texts &texts);
  const std::vector<Texts> &all() const { return texts_; }

 private:
  std::vector<Texts> texts_{Texts{}};
  std::map<Texts, uint16_t> indices_{{Texts{}, 0}};
};

class Packer {
 public:
  // Adds a game. Throws Dropped, and adds nothing, where the game is unusable or breaks the rules: an occupied point,
  // suicide, simple ko. Superko isn't looked at, since people's rules differ.
  void pack(const RecordedGame &game);

  // The words of all games since they were last cleared; the rows count all words that ever were.
  const std::vector<uint16_t> &words() const { return words_; }
  void clear_words();
  const std::vector<GameRow> &rows() const { return rows_; }
  const TextTable &texts() const { return texts_; }
  uint64_t num_positions() const { return num_positions_; }

 private:
  void pack_moves(const RecordedGame &game, GameRow &row);
  void pack_captures(const RecordedGame &game, GameRow &row);

  std::vector<uint16_t> words_;
  std::vector<GameRow> rows_;
  TextTable texts_;
  uint64_t num_words_cleared_ = 0, num_positions_ = 0;
};

}  // namespace golois
