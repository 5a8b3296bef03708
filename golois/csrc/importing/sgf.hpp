// Smart Game Format, FF[3] and FF[4]: the main line of one game tree.
#pragma once

#include <string_view>

#include "records/recorded_game.hpp"

namespace golois {

// Reads the main line of a game tree that begins with "(" into game, which is cleared first.
// Variations, markup and everything else that the kit doesn't use are skipped; the moves' legality
// is not checked. Throws Dropped where the text is not a game tree.
// Source: https://www.red-bean.com/sgf/ (FF[4]); comments as KataGo writes them are the moves'
// values.
void parse_sgf(std::string_view text, RecordedGame &game);

}  // namespace golois
