// What the opaque handles hold that several parts of the C surface use.
#pragma once

#include "position.hpp"
#include "record.hpp"

struct golois_board {
  golois::Position position;
};

struct golois_packed_file {
  golois::PackedFile file;
};
