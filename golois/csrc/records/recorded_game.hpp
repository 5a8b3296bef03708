// A game as its source records it, before its moves are checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "records/record.hpp"

namespace golois {

struct RecordedMove {
  Point point;
  Colour colour;
  uint8_t value = kNoValue;   // P(White wins) before the move in hundredths
  bool is_unlabelled = false;  // set-up, handicap or opening: played, but no training position
};

struct GameResult {
  bool is_known = false;
  Colour winner = kEmpty;  // kEmpty for a draw
  int16_t margin_halves = kMarginUnknown;
};

// How strong a player is, as a number that grows: 1 for 30 kyu … 30 for 1 kyu, 31 … 39 for 1 to 9
// dan, 40 … 48 for professionals of 1 to 9 dan; kNoRank where it is not said.
constexpr int kNoRank = 0;

constexpr int kLeastHandicap = 2;  // of one stone, Black only has the first move
constexpr int kHandicapUnknown = -1;
constexpr std::string_view kColumnNames = "ABCDEFGHJKLMNOPQRST";  // of GTP

struct RecordedGame {
  int size = kMaxSize;  // of a square board; 0 for any other
  int game_type = 1;  // SGF's GM: 1 is Go
  int handicap = 0;  // SGF's HA, kHandicapUnknown where it is no number
  // its stones are not in the record: they were placed on the fixed points
  bool has_fixed_handicap = false;
  bool is_from_fox = false;
  bool is_komi_valid = true;
  int16_t komi_quarters = kKomiUnknown;
  bool is_played_out = false;
  GameResult result;
  std::string rules, source;
  // Who and when, the board's size, how it ended, the komi, and the program and server that wrote
  // it, in the source's own words.
  std::string black, white, black_rank, white_rank, date, size_text, result_text, komi_text,
      handicap_text, application;
  Colour to_play = kEmpty;  // whose turn it is after the last move, where the source says so
  // The first thing that makes the game unusable without making it unreadable, and its kind.
  std::string fault, fault_cause;
  // what was taken to be meant instead of what stands in the record
  std::vector<std::string> assumptions;
  std::vector<RecordedMove> moves;
  std::vector<Target> targets;  // for the position before each move; empty if there are none

  void clear() { *this = RecordedGame{}; }
  bool has_values() const;
};

// Sets the komi, or marks it invalid unless it is a multiple of 1/4 from −100 to 100; empty text is
// an unknown komi. An amount in words is read too, such as 6目半 or 黑贴3又3/4子.
void set_komi(RecordedGame &game, std::string_view text);

// Sets the handicap from SGF's HA; empty text is none.
void set_handicap(RecordedGame &game, std::string_view text);

// A point as SGF and GTP write it, such as "[pd], Q16".
std::string names_of(Point point);

// The rank of SGF's BR and WR, such as 6d, 12 kyu, 3p or 9段; a "?" of KGS behind it is skipped.
int parse_rank(std::string_view text);

// What follows from the whole record once it has been read: handicap stones are unlabelled; a game
// that mixes labelled and unlabelled moves, or a draw, gets its result as the value of its labelled
// moves; and whether its last position can be scored.
void complete(RecordedGame &game);

}  // namespace golois
