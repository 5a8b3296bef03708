// The course's text files, games.data, of every era: one game of it.
#pragma once

#include <string_view>

#include "records/recorded_game.hpp"

namespace golois {

// Reads one game, which begins with its komi or, in older files, with its winner. Numbers stand
// between white space:
//   since 2022  komi W|B num_moves, then num_moves × { point colour value lead }
//   2021        W|B num_moves first_move, then num_moves × { point colour }; moves before
//               first_move have no label
//   2020        W|B num_moves, then num_moves × { point colour }
// Colour 0 is White, 1 is Black, point 361 a pass, value P(White wins) before the move or −1 for
// none; the lead is not used. The two older eras have neither komi nor values, and how many numbers
// there are tells them apart. Throws Dropped where the text is not such a game.
void parse_games_text(std::string_view text, RecordedGame &game);

}  // namespace golois
