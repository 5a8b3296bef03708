// Amounts of points, and other texts about a game, as people write them in Chinese, Japanese,
// Korean and English.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace golois {

// A list of words: an array of them.
class Words {
 public:
  template <size_t kSize>
  constexpr Words(const std::string_view (&words)[kSize]) : begin_(words), end_(words + kSize) {}
  const std::string_view *begin() const { return begin_; }
  const std::string_view *end() const { return end_; }

 private:
  const std::string_view *begin_, *end_;
};

// The text in small letters, with full-width letters, digits and signs as ASCII, and a comma before
// a digit as a point.
std::string plain_text(std::string_view text);

bool begins_with(std::string_view text, std::string_view word);
bool contains_any(std::string_view text, Words words);

struct Amount {
  int64_t hundredths = 0;
  bool is_in_stones = false;  // Chinese stones: one is worth two points
  bool has_unit = false;
};

// Reads an amount such as 3.5, 6目半, 六目半, 半目, 3집반 or 3又3/4子 from the front of a plain text, and
// removes it from there. Nothing is read where there is none.
std::optional<Amount> read_amount(std::string_view &text);

}  // namespace golois
