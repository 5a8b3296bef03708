// The packed file of games (data/README.md gives it byte by byte) and a bounds-checked view of it.
//
// A file holds, little-endian: FileHeader · words (all games, one after the other) · ladders, if
// any · GameRow × num_games · targets, if any · ownership, if any · provenance (JSON).
// The words of a game, 16 bits each:
//   moves     num_moves × { bits 0–8 point, or 361 for a pass at any size; bits 9–15 P(White wins)
//             before the move in hundredths, 127 none }
//   colours   only with kColoursListed: ⌈num_moves / 16⌉ words, bit i%16 of word i/16 set where
//             White made move i;
//             without it the moves alternate, Black first
//   captures  num_capture_words words: for each move that takes stones, 0x8000 | index of the move,
//             then the points that it empties,
//             and 0x4000 | point where the mover's stone stands then, if it stands elsewhere (Hex's
//             swap)
// The captures let a reader show any position without knowing the rules of the game.
// The targets (version 2) say of training positions what a teacher or a search thinks of them: an
// index, uint32 × num_positions, and target words, 16 bits each, where the words of a position
// begin at its index (targets.hpp). The ladders (version 4, Go only) save reading them again: an
// index, uint32 × num_games, and ladder words, 16 bits each, where the words of a game begin at its
// index and end where those of the next one begin (ladder_words.hpp). The ownership (version 6) has
// a signed byte a point of each training position: a teacher's, 127 for White, −127 for Black.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "games/game_type.hpp"
#include "records/targets.hpp"

namespace golois {

constexpr char kMagic[8] = {'G', 'O', 'L', 'O', 'I', 'S', '\x1a', '\n'};
constexpr uint32_t kFormatVersion = 1, kVersionWithTargets = 2, kVersionOfAnyGame = 3,
                   kVersionWithLadders = 4, kVersionOfManyTexts = 5, kVersionWithOwnership = 6;

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t header_crc;  // CRC-32 of the header with this field zero
  uint64_t num_games, num_words, num_positions;
  uint64_t words_offset, games_offset, provenance_offset, file_size;  // bytes
  uint32_t words_crc, games_crc, provenance_crc, targets_crc;        // CRC-32 (zlib's)
  uint64_t targets_offset, num_target_words;                         // 0 in a file without targets
  uint8_t game_kind;                                                 // GameKind
  uint8_t board_size;                                                // 0 for 19
  uint8_t game_options;                                              // GameOptions
  uint8_t extras;                                                    // FileExtras
  uint32_t ownership_crc;                                            // 0 without ownership
  // 0 in a file without ladders, as the next two
  uint64_t ladders_offset;
  uint32_t num_ladder_words, ladders_crc;
};
static_assert(sizeof(FileHeader) == 128);

enum GameOptions : uint8_t { kPolicyHasPass = 1, kHasSwap = 2 };

enum FileExtras : uint8_t {
  kHasManyTexts = 1,  // rows use text_high
  kHasOwnership = 2,
};

enum GameFlags : uint8_t {
  // moves without a value are not training positions; without the flag the result is the value of
  // all
  kHasValues = 1,
  kColoursListed = 2,
  kPlayedOut = 4,      // the last position can be scored: its stones are an ownership target
};

// The margin of a game, in half points, or one of these.
constexpr int16_t kMarginUnknown = -1, kMarginResign = -2, kMarginTime = -3, kMarginForfeit = -4;

// The komi of a game whose record gives none; outside of every komi plane.
constexpr int16_t kKomiUnknown = INT16_MIN;

// Limits that the layout sets: a captures word holds the index of a move in 15 bits.
constexpr int kMaxMoves = 32767, kMaxCaptureWords = 65535;
constexpr uint16_t kCaptureMark = 0x8000, kPlacedMark = 0x4000;

struct GameRow {
  uint64_t first_word;      // index into the words
  uint64_t first_position;  // number of training positions in the games before
  uint16_t num_moves, num_positions, num_capture_words;
  int16_t komi_quarters;    // komi × 4, or kKomiUnknown
  int16_t margin_halves;    // winning margin × 2, or a negative code above
  // index into the provenance's list of {rules, source}, without text_high
  uint16_t text;
  uint8_t winner;           // Colour; 0 for a draw or none
  uint8_t flags;            // GameFlags
  uint16_t text_high;       // the index's further bits, 0 in files of up to 65,536 texts
};
static_assert(sizeof(GameRow) == 32);

// Whether it is known who won, or that nobody did.
inline bool has_result(const GameRow &row) {
  return row.winner != kEmpty || row.margin_halves >= 0;
}

constexpr int kNoValue = 127;

// What a result says of P(White wins), in hundredths.
inline uint8_t result_label(Colour winner) {
  return winner == kWhite ? 100 : winner == kBlack ? 0 : 50;
}

// Of a point that is White's for certain; and of the points of a position without ownership.
constexpr int8_t kWholeOwnership = 127, kNoOwnership = INT8_MIN;

struct PackedMove {
  uint16_t word;

  int point() const { return word & 511; }
  int value_hundredths() const { return word >> 9; }
  bool has_value() const { return value_hundredths() <= 100; }
};

// One game of a file; every accessor stays inside the game's words.
class PackedGame {
 public:
  PackedGame(const GameRow &row, const uint16_t *words, const GameType &type)
      : row_(row), words_(words), type_(type) {}

  // How many words a game with this row has.
  static uint64_t num_words(const GameRow &row) {
    return uint64_t{row.num_moves} + num_colour_words(row) + row.num_capture_words;
  }

  const GameRow &row() const { return row_; }
  const GameType &type() const { return type_; }
  int num_moves() const { return row_.num_moves; }
  bool has_values() const { return row_.flags & kHasValues; }
  bool is_played_out() const { return row_.flags & kPlayedOut; }
  PackedMove move(int index) const { return {words_[index]}; }
  Colour colour(int index) const {
    const bool white = row_.flags & kColoursListed
                           ? words_[row_.num_moves + index / 16] >> (index % 16) & 1
                           : index % 2;
    return white ? kWhite : kBlack;
  }
  const uint16_t *captures_begin() const {
    return words_ + row_.num_moves + num_colour_words(row_);
  }
  const uint16_t *captures_end() const { return captures_begin() + row_.num_capture_words; }

  // A training position lies before a move that is in the policy, with a value if the game has
  // values.
  bool is_training_position(int index) const {
    return type_.policy_index(move(index).point()) >= 0 &&
           (!has_values() || move(index).has_value());
  }

 private:
  static unsigned num_colour_words(const GameRow &row) {
    return row.flags & kColoursListed ? (row.num_moves + 15u) / 16u : 0;
  }

  const GameRow &row_;
  const uint16_t *words_;
  const GameType &type_;
};

// The ladder words of a game.
struct LadderWords {
  const uint16_t *begin, *end;
};

// CRC-32 as zlib computes it.
uint32_t crc32(const uint8_t *bytes, size_t num_bytes);

// Writes down the game; nothing but zeros for Go on 19×19 without a pass in the policy, as in all
// files before version 3.
void set_game_type(FileHeader &header, const GameType &type);

// Fills in what follows from the rest of the header: magic, version and its own checksum.
void seal(FileHeader &header);

// A view of a packed file in memory, which must outlive it. Opening reads the header only, whatever
// the size of the file; each access checks the bounds of its game.
class PackedFile {
 public:
  // Throws DamagedFile with the offset when the bytes are not a packed file of this version.
  // `bytes` is aligned to 8 bytes.
  PackedFile(const uint8_t *bytes, size_t num_bytes);

  const FileHeader &header() const { return header_; }
  const GameType &type() const { return type_; }
  uint64_t num_games() const { return header_.num_games; }
  uint64_t num_positions() const { return header_.num_positions; }
  const GameRow &row(uint64_t game) const { return rows_[game]; }

  // Throws Error when there is no such game, DamagedFile when its row points outside of the words
  // or names too many moves.
  PackedGame game(uint64_t game) const;

  bool has_targets() const { return header_.targets_offset != 0; }
  // The target of a training position of the file, an empty one where it has none. Throws
  // DamagedFile where it lies outside of the file.
  PackedTarget target(uint64_t position) const;

  // Where the ownership begins; 0 in a file without.
  uint64_t ownership_offset() const;
  // A byte for each point, White's ownership, of a training position of the file; null where it has
  // none. Throws DamagedFile where there is no such position.
  const int8_t *ownership(uint64_t position) const;

  bool has_ladders() const { return header_.ladders_offset != 0; }
  // The ladder words of a game of a file that has ladders. Throws DamagedFile where they lie
  // outside of the file.
  LadderWords ladders(uint64_t game) const;

  // Throws DamagedFile with the offset of the game's row, where something other than `expectation`
  // was found.
  [[noreturn]] void refuse_row(uint64_t game, const std::string &fault) const;

 private:
  FileHeader header_;
  GameType type_;
  const GameRow *rows_;
  const uint16_t *words_;
  const uint32_t *target_index_ = nullptr, *ladder_index_ = nullptr;
  const uint16_t *target_words_ = nullptr, *ladder_words_ = nullptr;
  const int8_t *ownership_ = nullptr;
};

}  // namespace golois
