// A game as its source records it, before its moves are checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

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

struct RecordedGame {
  int size = kMaxSize;
  int game_type = 1;  // SGF's GM: 1 is Go
  int handicap = 0;
  bool is_komi_valid = true;
  int16_t komi_quarters = kKomiUnknown;
  bool is_played_out = false;
  GameResult result;
  std::string rules, source;
  std::string black, white, date, result_text;  // who and when, and how it ended, in the source's own words
  std::string fault;  // the first thing that makes the game unusable without making it unreadable
  std::vector<RecordedMove> moves;
  std::vector<Target> targets;  // for the position before each move; empty if there are none

  void clear() { *this = RecordedGame{}; }
  bool has_values() const;
};

// Sets the komi, or marks it invalid unless it is a multiple of 1/4 from −100 to 100; empty text is an unknown komi.
void set_komi(RecordedGame &game, std::string_view text);

// The result of SGF's RE, such as B+3.5, W+R or 0; unknown for anything without a winner or draw.
GameResult parse_result(std::string_view text);

// What follows from the whole record once it has been read: handicap stones are unlabelled; a game that mixes
// labelled and unlabelled moves, or a draw, gets its result as the value of its labelled moves; and whether its
// last position can be scored.
void complete(RecordedGame &game);

}  // namespace golois
