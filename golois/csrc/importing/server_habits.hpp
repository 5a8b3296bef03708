// What servers and programs leave out of SGF, or write in a way of their own.
#pragma once

#include "records/recorded_game.hpp"

namespace golois {

// Puts what is meant in place of what a record of Go on 19×19 says, and notes it in the game's
// assumptions:
// * a handicap without its stones, White first: they stand on the fixed points of GTP 2, section
//   4.1.1;
// * komi in hundredths of a point or of a Chinese stone, as Fox writes it; its 0 in an even game is
//   an unknown komi.
// Throws Dropped where a handicap has no fixed points.
void read_as_meant(RecordedGame &game);

}  // namespace golois
