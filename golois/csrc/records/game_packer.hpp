// Packs finished games of the kit's own rules: Go, NoGo and Hex at any size.
#pragma once

#include "games/game.hpp"
#include "records/packer.hpp"

namespace golois {

// Packs a game that was played from `start`, where nothing has been played yet, with the colours
// taking turns. Its passes are kPass19; targets are those of each move, empty ones where there are
// none. Sets is_played_out.
//
// Throws Error where a move, or one of its target's, is not legal, or where the board knows another
// winner.
PackedRecord pack_finished(const Game &start, const GameType &type, RecordedGame game);

}  // namespace golois
