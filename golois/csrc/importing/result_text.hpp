// The result of a game in the words of its record.
#pragma once

#include <string_view>

#include "records/recorded_game.hpp"

namespace golois {

// The result of SGF's RE, such as B+3.5, W+R or 0 in either case, or in words: 黑中盘胜, 白6目半勝ち, 흑 불계승,
// Black wins by 3.5 points, ジゴ. Unknown for anything without a winner or draw, and for what has no
// result (Void, 無勝負). A margin in Chinese stones is unknown.
GameResult parse_result(std::string_view text);

}  // namespace golois
