// Decimal numbers of text formats, read exactly and without locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace golois {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes leading white space from text.
void skip_space(std::string_view &text);

// Reads a number such as -12.345 from the front of text, without leading space, and removes it from
// there: the number times 10^num_decimals, rounded half away from zero. Nothing is read where there
// is none or it is beyond ±10^9.
std::optional<int64_t> read_decimal(std::string_view &text, int num_decimals);

}  // namespace golois
