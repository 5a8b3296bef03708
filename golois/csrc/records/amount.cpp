#include "records/amount.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kit/decimal.hpp"

namespace golois {

namespace {

constexpr int64_t kOne = 100, kHalf = 50;

constexpr std::string_view kHalves[] = {"半", "반"};
constexpr std::string_view kPointUnits[] = {"目",    "집",  "点", "點",  "points",
                                            "point", "pts", "pt", "moku"};
constexpr std::string_view kStoneUnits[] = {"子", "zi", "stones", "stone"};
constexpr std::array<std::pair<std::string_view, int>, 14> kNumerals = {{{"一", 1},
                                                                         {"二", 2},
                                                                         {"三", 3},
                                                                         {"四", 4},
                                                                         {"五", 5},
                                                                         {"六", 6},
                                                                         {"七", 7},
                                                                         {"八", 8},
                                                                         {"九", 9},
                                                                         {"十", 10},
                                                                         {"両", 2},
                                                                         {"两", 2},
                                                                         {"兩", 2},
                                                                         {"壹", 1}}};

bool skip_any(std::string_view &text, Words words) {
  for (const std::string_view word : words)
    if (begins_with(text, word)) {
      text.remove_prefix(word.size());
      return true;
    }
  return false;
}

// Numerals such as 六, 十二 or 二十三; 0 where there are none.
int64_t read_numerals(std::string_view &text) {
  int64_t number = 0;
  for (;;) {
    const auto found = std::find_if(kNumerals.begin(), kNumerals.end(), [&](const auto &numeral) {
      return begins_with(text, numeral.first);
    });
    if (found == kNumerals.end() || number >= kOne) return number;
    number = found->second == 10 ? std::max<int64_t>(number, 1) * 10 : number + found->second;
    text.remove_prefix(found->first.size());
  }
}

// A fraction such as 3/4 in hundredths.
std::optional<int64_t> read_fraction(std::string_view &text) {
  const bool is_fraction =
      text.size() >= 3 && is_digit(text[0]) && text[1] == '/' && (text[2] == '2' || text[2] == '4');
  if (!is_fraction || (text.size() > 3 && is_digit(text[3]))) return std::nullopt;
  const int64_t hundredths = kOne * (text[0] - '0') / (text[2] - '0');
  text.remove_prefix(3);
  return hundredths;
}

// A whole number or decimal that is not the top of a fraction.
std::optional<int64_t> read_number(std::string_view &text) {
  if (text.empty()) return std::nullopt;
  if (!is_digit(text[0]) && text[0] != '.') {
    const int64_t numerals = read_numerals(text);
    return numerals == 0 ? std::nullopt : std::optional(kOne * numerals);
  }
  std::string_view rest = text;
  const auto number = read_decimal(rest, 2);
  if (!number || begins_with(rest, "/")) return std::nullopt;
  text = rest;
  return number;
}

// The part after a whole number of stones, as in "3又3/4" and "3 3/4".
std::optional<int64_t> read_part(std::string_view &text) {
  std::string_view rest = text;
  skip_space(rest);
  if (begins_with(rest, "又")) rest.remove_prefix(std::string_view("又").size());
  skip_space(rest);
  const auto part = read_fraction(rest);
  if (part) text = rest;
  return part;
}

// A unit after spaces: 'p' for points, 's' for stones, 0 for none.
char read_unit(std::string_view &text) {
  std::string_view rest = text;
  skip_space(rest);
  const char unit = skip_any(rest, kPointUnits) ? 'p' : skip_any(rest, kStoneUnits) ? 's' : '\0';
  if (unit != '\0') text = rest;
  return unit;
}

bool read_half(std::string_view &text) {
  std::string_view rest = text;
  skip_space(rest);
  if (!skip_any(rest, kHalves)) return false;
  text = rest;
  return true;
}

}  // namespace

std::string plain_text(std::string_view text) {
  constexpr std::string_view kWideSpace = "\u3000";
  std::string plain;
  while (!text.empty()) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
    const bool may_be_wide = byte(0) == 0xef && (byte(1) == 0xbc || byte(1) == 0xbd);
    const int wide = may_be_wide ? (byte(1) - 0xbc) * 0x40 + byte(2) - 0x80 : 0;
    char c = text[0];
    size_t size = 1;
    if (wide > 0 && wide < 0x5f) {  // U+FF01 … U+FF5E
      c = static_cast<char>(' ' + wide);
      size = 3;
    } else if (begins_with(text, kWideSpace)) {
      c = ' ';
      size = kWideSpace.size();
    }
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | ' ');
    text.remove_prefix(size);
    plain += c == ',' && !text.empty() && is_digit(text[0]) ? '.' : c;
  }
  return plain;
}

bool begins_with(std::string_view text, std::string_view word) {
  return text.substr(0, word.size()) == word;
}

bool contains_any(std::string_view text, Words words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

std::optional<Amount> read_amount(std::string_view &text) {
  std::string_view rest = text;
  const auto whole = read_number(rest);
  const auto part = read_part(rest);
  bool has_half = read_half(rest);
  const char unit = read_unit(rest);
  if (!has_half && unit != '\0' && whole) has_half = read_half(rest);
  if (!whole && !part && !(has_half && unit != '\0')) return std::nullopt;
  text = rest;
  const int64_t hundredths = whole.value_or(0) + part.value_or(0) + (has_half ? kHalf : 0);
  return Amount{hundredths, part || unit == 's', part || has_half || unit != '\0'};
}

}  // namespace golois
