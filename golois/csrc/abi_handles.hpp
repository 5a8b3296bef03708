// What the opaque handles of golois_abi.h hold.
#pragma once

#include "position.hpp"

struct golois_board {
  golois::Position position;
};
