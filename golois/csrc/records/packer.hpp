// Replays recorded games and packs them as words and rows (record.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "go/board.hpp"
#include "records/record.hpp"
#include "records/recorded_game.hpp"

namespace golois {

// The {rules, source} pairs that rows refer to. Pair 0 is empty.
class TextTable {
 public:
  using Texts = std::pair<std::string, std::string>;

  uint32_t index_of(const Texts &texts);
  const std::vector<Texts> &all() const { return texts_; }

 private:
  std::vector<Texts> texts_{Texts{}};
  std::map<Texts, uint32_t> indices_{{Texts{}, 0}};
};

// A game as words; its row lacks what depends on the games before it: first_word, first_position
// and text.
struct PackedRecord {
  GameRow row{};
  std::vector<uint16_t> words;
  std::vector<uint16_t> target_words;   // of all its training positions, or none
  std::vector<uint32_t> target_starts;  // of each in target_words
  std::string rules, source;
};

// Throws Dropped where the game is unusable or breaks the rules: an occupied point, suicide, simple
// ko. Superko isn't checked, since rules differ.
PackedRecord pack(const RecordedGame &game);

// Why a move is refused, for a sentence about it.
const char *describe(Legality legality);

// The words and the row of a game of any type whose captures are known; nothing is checked.
PackedRecord pack(const RecordedGame &game, const GameType &type,
                  const std::vector<uint16_t> &captures);

// The games of a file, in the order in which they are added.
class Packer {
 public:
  void add(const PackedRecord &game);

  // The words of all games since the last clear; the rows count all words from the start.
  const std::vector<uint16_t> &words() const { return words_; }
  void clear_words();
  const std::vector<GameRow> &rows() const { return rows_; }
  // Where the target of each training position begins in the target words; both are empty where no
  // game has targets.
  const std::vector<uint32_t> &target_index() const { return target_index_; }
  const std::vector<uint16_t> &target_words() const { return target_words_; }
  const TextTable &texts() const { return texts_; }
  uint64_t num_positions() const { return num_positions_; }

 private:
  void add_targets(const PackedRecord &game);

  std::vector<uint16_t> words_;
  std::vector<GameRow> rows_;
  std::vector<uint32_t> target_index_;
  std::vector<uint16_t> target_words_;
  TextTable texts_;
  uint64_t num_words_cleared_ = 0, num_positions_ = 0;
};

}  // namespace golois
