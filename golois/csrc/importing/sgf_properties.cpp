#include "importing/sgf_properties.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "importing/result_text.hpp"
#include "kit/decimal.hpp"

namespace golois {

namespace {

constexpr size_t kMaxApplicationLength = 400;  // after which no further text is added

// "19", or "19:19" as FF[4] writes the two sides; 0 for a rectangle and for anything that is not a
// size.
int read_size(std::string_view text) {
  const auto read_side = [&]() -> int64_t {
    skip_space(text);
    const bool has_digit = !text.empty() && is_digit(text[0]);
    const int64_t side = has_digit ? read_decimal(text, 0).value_or(0) : 0;
    skip_space(text);
    return side;
  };
  const int64_t columns = read_side();
  int64_t rows = columns;
  if (!text.empty() && text[0] == ':') {
    text.remove_prefix(1);
    rows = read_side();
  }
  return text.empty() && rows == columns ? static_cast<int>(columns) : 0;
}

void set_size(RecordedGame &game, std::string_view value) {
  std::string_view rest = value;
  skip_space(rest);
  if (rest.empty()) return;
  game.size = read_size(value);
  game.size_text = unescaped(value);
}

void set_result(RecordedGame &game, std::string_view value) {
  game.result_text = unescaped(value);
  game.result = parse_result(game.result_text);
}

template <std::string RecordedGame::*text>
void set_text(RecordedGame &game, std::string_view value) {
  game.*text = unescaped(value);
}

// Fox writes AP twice.
void add_application(RecordedGame &game, std::string_view value) {
  if (game.application.size() < kMaxApplicationLength) game.application += unescaped(value) + '\n';
}

// Other programs keep RL, which only Fox writes, when they put their own name in AP.
void note_fox(RecordedGame &game, std::string_view) { game.is_from_fox = true; }

void set_game_type(RecordedGame &game, std::string_view value) {
  skip_space(value);
  game.game_type = static_cast<int>(read_decimal(value, 0).value_or(1));
}

using Kind = PropertyKind;
using Type = ValueType;

constexpr std::array<SgfProperty, 47> kProperties = {{
    {"B", Kind::kMove, Type::kPoint},
    {"W", Kind::kMove, Type::kPoint},
    {"AB", Kind::kSetUp, Type::kStones},
    {"AW", Kind::kSetUp, Type::kStones},
    {"AE", Kind::kSetUp, Type::kStones},
    {"PL", Kind::kSetUp, Type::kColour},
    {"C", Kind::kNode, Type::kText},
    {"GM", Kind::kRoot, Type::kNumber, set_game_type},
    {"SZ", Kind::kRoot, Type::kSize, set_size},
    {"FF", Kind::kRoot, Type::kNumber},
    {"CA", Kind::kRoot, Type::kSimpleText},
    {"AP", Kind::kRoot, Type::kSimpleText, add_application},
    {"ST", Kind::kRoot, Type::kNumber},
    {"KM", Kind::kGame, Type::kReal, set_komi},
    {"HA", Kind::kGame, Type::kNumber, set_handicap},
    {"RE", Kind::kGame, Type::kSimpleText, set_result},
    {"RU", Kind::kGame, Type::kSimpleText, set_text<&RecordedGame::rules>},
    {"SO", Kind::kGame, Type::kSimpleText, set_text<&RecordedGame::source>},
    {"PB", Kind::kGame, Type::kSimpleText, set_text<&RecordedGame::black>},
    {"PW", Kind::kGame, Type::kSimpleText, set_text<&RecordedGame::white>},
    {"BR", Kind::kGame, Type::kSimpleText, set_text<&RecordedGame::black_rank>},
    {"WR", Kind::kGame, Type::kSimpleText, set_text<&RecordedGame::white_rank>},
    {"DT", Kind::kGame, Type::kSimpleText, set_text<&RecordedGame::date>},
    {"BT", Kind::kGame, Type::kSimpleText},
    {"WT", Kind::kGame, Type::kSimpleText},
    {"EV", Kind::kGame, Type::kSimpleText},
    {"RO", Kind::kGame, Type::kSimpleText},
    {"PC", Kind::kGame, Type::kSimpleText, add_application},
    {"GN", Kind::kGame, Type::kSimpleText},
    {"GC", Kind::kGame, Type::kText},
    {"ON", Kind::kGame, Type::kSimpleText},
    {"OP", Kind::kGame, Type::kSimpleText},
    {"OT", Kind::kGame, Type::kSimpleText},
    {"TM", Kind::kGame, Type::kReal},
    {"TC", Kind::kGame, Type::kNumber},
    {"TT", Kind::kGame, Type::kNumber},
    {"LC", Kind::kGame, Type::kNumber},
    {"LT", Kind::kGame, Type::kNumber},
    {"RL", Kind::kGame, Type::kNumber, note_fox},
    {"US", Kind::kGame, Type::kSimpleText},
    {"AN", Kind::kGame, Type::kSimpleText},
    {"CP", Kind::kGame, Type::kSimpleText},
    {"ID", Kind::kGame, Type::kSimpleText},
    {"BS", Kind::kGame, Type::kSimpleText},
    {"WS", Kind::kGame, Type::kSimpleText},
    {"BM", Kind::kMove, Type::kDouble},
    {"SBKV", Kind::kNode, Type::kReal},
}};

constexpr int kNumLetters = 27;  // none and the capitals
constexpr uint8_t kNotListed = 0xff;

constexpr int letter_index(int c) { return c == 0 ? 0 : c - 'A' + 1; }
constexpr int index_of(int id) {
  return letter_index(id & 0xff) * kNumLetters + letter_index(id >> 8);
}

constexpr auto make_places() {
  std::array<uint8_t, kNumLetters * kNumLetters> places{};
  for (uint8_t &place : places) place = kNotListed;
  for (size_t i = 0; i < kProperties.size(); ++i)
    if (const int id = sgf_id(kProperties[i].name); id != kOtherSgfName)
      places[index_of(id)] = static_cast<uint8_t>(i);
  return places;
}

constexpr auto kPlaces = make_places();

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// The length of what a backslash protects: of a line break none is left.
size_t length_of_break(std::string_view text) {
  const auto is_break = [&](size_t i) {
    return i < text.size() && (text[i] == '\n' || text[i] == '\r');
  };
  if (!is_break(0)) return 0;
  return is_break(1) && text[0] != text[1] ? 2 : 1;
}

}  // namespace

const SgfProperty *sgf_property(size_t index) {
  return index < kProperties.size() ? &kProperties[index] : nullptr;
}

const SgfProperty *find_sgf_property(int id) {
  if (id == kOtherSgfName || id == 0) return nullptr;
  const uint8_t place = kPlaces[index_of(id)];
  return place == kNotListed ? nullptr : &kProperties[place];
}

int read_sgf_name(std::string_view &text) {
  int id = 0, num_capitals = 0;
  size_t i = 0;
  for (; i < text.size() && (is_upper(text[i]) || is_lower(text[i])); ++i)
    if (is_upper(text[i]))
      id = num_capitals < 2 ? id | text[i] << 8 * num_capitals++ : kOtherSgfName;
  text.remove_prefix(i);
  return id;
}

const char *name_of(PropertyKind kind) {
  switch (kind) {
    case Kind::kRoot: return "root";
    case Kind::kGame: return "game";
    case Kind::kSetUp: return "set-up";
    case Kind::kMove: return "move";
    case Kind::kNode: return "node";
  }
  return "";
}

const char *name_of(ValueType type) {
  switch (type) {
    case Type::kNumber: return "number";
    case Type::kReal: return "real";
    case Type::kSize: return "size";
    case Type::kText: return "text";
    case Type::kSimpleText: return "simple text";
    case Type::kColour: return "colour";
    case Type::kPoint: return "point";
    case Type::kStones: return "stones";
    case Type::kDouble: return "double";
  }
  return "";
}

std::string unescaped(std::string_view value, size_t max_bytes) {
  std::string plain;
  for (size_t i = 0; i < value.size() && plain.size() <= max_bytes; ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) {
      const size_t length = length_of_break(value.substr(i + 1));
      i += std::max<size_t>(length, 1);
      if (length > 0) continue;
    }
    plain += value[i];
  }
  if (plain.size() <= max_bytes) return plain;
  size_t end = max_bytes;
  const auto is_inside_character = [&] { return (plain[end] & 0xC0) == 0x80; };
  while (end > 0 && max_bytes - end < 4 && is_inside_character()) --end;
  plain.resize(end);
  return plain;
}

}  // namespace golois
