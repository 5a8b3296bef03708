// Tromp–Taylor area scoring (https://tromp.github.io/go.html): no dead stones are removed.
#pragma once

#include <array>

#include "board.hpp"

namespace golois {

using Owners = std::array<Colour, kMaxPoints>;

// Who owns each point: the colour of its stone, or the only colour that the empty region around it reaches; else kEmpty.
Owners area(const Board &board);

// Black's area minus White's, without komi.
int score_black(const Board &board);

}  // namespace golois
