// The properties of SGF that the kit knows: one table for the readers, the writer in Python and
// docs/maintainer/formats.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "records/recorded_game.hpp"

namespace golois {

// Where a property stands. Those of kRoot and kGame tell that a game begins.
enum class PropertyKind { kRoot, kGame, kSetUp, kMove, kNode };

// How a value is written.
enum class ValueType {
  kNumber,
  kReal,
  kSize,
  kText,
  kSimpleText,
  kColour,
  kPoint,
  kStones,
  kDouble
};

struct SgfProperty {
  std::string_view name;
  PropertyKind kind;
  ValueType type;
  // Reads a value into the game. Null where the kit skips the property, and where the parser itself
  // reads it, as its meaning depends on the node: of B, W, AB, AW, AE, PL, C.
  void (*read)(RecordedGame &, std::string_view) = nullptr;
};

// Property `index` of the table, or null past its end.
const SgfProperty *sgf_property(size_t index);

// A name of one or two capitals as a number, for a switch; kOtherSgfName for any other name.
constexpr int kOtherSgfName = 1 << 16;
constexpr int sgf_id(std::string_view name) {
  return name.size() == 1 ? name[0] : name.size() == 2 ? name[0] | name[1] << 8 : kOtherSgfName;
}

// Null where the table lacks the name.
const SgfProperty *find_sgf_property(int id);

// Removes the name of a property from the front of the text. Only capitals count: FF[3] writes
// "Black[dd]" as well.
int read_sgf_name(std::string_view &text);

const char *name_of(PropertyKind kind);
const char *name_of(ValueType type);

// A value without its escapes: what a backslash protects stays, a line break behind a backslash
// goes. At most max_bytes of it, cut between characters of UTF-8.
std::string unescaped(std::string_view value, size_t max_bytes = 200);

}  // namespace golois
