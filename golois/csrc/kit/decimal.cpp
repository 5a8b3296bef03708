#include "kit/decimal.hpp"

namespace golois {

namespace {

constexpr int64_t kMaxInteger = 1'000'000'000;

}  // namespace

void skip_space(std::string_view &text) {
  size_t i = 0;
  while (i < text.size() && is_space(text[i])) ++i;
  text.remove_prefix(i);
}

std::optional<int64_t> read_decimal(std::string_view &text, int num_decimals) {
  size_t i = 0;
  const auto more = [&] { return i < text.size() && is_digit(text[i]); };
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++i;

  int64_t number = 0;
  size_t num_digits = 0;
  for (; more(); ++i, ++num_digits)
    if ((number = number * 10 + (text[i] - '0')) > kMaxInteger) return std::nullopt;

  if (i < text.size() && text[i] == '.') ++i;
  int decimals_read = 0;
  for (; more(); ++i, ++num_digits, ++decimals_read) {
    if (decimals_read < num_decimals)
      number = number * 10 + (text[i] - '0');
    else if (decimals_read == num_decimals)
      number += text[i] >= '5';
  }
  for (; decimals_read < num_decimals; ++decimals_read) number *= 10;

  if (num_digits == 0) return std::nullopt;
  text.remove_prefix(i);
  return negative ? -number : number;
}

}  // namespace golois
