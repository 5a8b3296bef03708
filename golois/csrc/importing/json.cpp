#include "importing/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstdint>

#include "records/drop.hpp"

namespace golois {

namespace {

constexpr int kMaxDigits = 18;  // that fit into 64 bits
constexpr int kMaxExponent = 400;

// Powers of ten that a double holds exactly.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

double scaled(double digits, int exponent) {
  const size_t size = static_cast<size_t>(std::abs(exponent));
  if (size >= kPowers.size()) return digits * std::pow(10.0, exponent);
  return exponent < 0 ? digits / kPowers[size] : digits * kPowers[size];
}

void append_utf8(std::string &text, unsigned code) {
  if (code < 0x80) {
    text.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    text.push_back(static_cast<char>(0xc0 | code >> 6));
    text.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else if (code < 0x10000) {
    text.push_back(static_cast<char>(0xe0 | code >> 12));
    text.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
    text.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else {
    text.push_back(static_cast<char>(0xf0 | code >> 18));
    text.push_back(static_cast<char>(0x80 | (code >> 12 & 0x3f)));
    text.push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
    text.push_back(static_cast<char>(0x80 | (code & 0x3f)));
  }
}

}  // namespace

std::string JsonReader::string() {
  expect('"');
  std::string result;
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] == '\\')
      append_escaped(result);
    else
      result.push_back(text_[at_++]);
  }
  expect('"');
  return result;
}

double JsonReader::read_number() {
  const bool is_negative = take('-');
  uint64_t digits = 0;
  int num_digits = 0, exponent = 0;
  bool is_fraction = false;
  const size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '.' && !is_fraction) {
      is_fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    if (num_digits < kMaxDigits) {
      digits = digits * 10 + static_cast<uint64_t>(c - '0');
      num_digits += digits > 0;
      exponent -= is_fraction;
    } else {
      exponent += !is_fraction;
    }
  }
  if (at_ == begin) refuse("a number");
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    ++at_;
    const bool is_below_one = at_ < text_.size() && text_[at_] == '-';
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    int power = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_)
      power = std::min(power * 10 + (text_[at_] - '0'), kMaxExponent);
    exponent += is_below_one ? -power : power;
  }
  const double value = scaled(static_cast<double>(digits), exponent);
  return is_negative ? -value : value;
}

bool JsonReader::boolean() {
  const bool is_true = peek() == 't';
  expect_word(is_true ? "true" : "false");
  return is_true;
}

std::string_view JsonReader::skip() {
  const char first = peek();
  const size_t begin = at_;
  if (first == '"') {
    skip_string();
  } else if (first == '{' || first == '[') {
    int depth = 0;
    do {
      if (at_ == text_.size()) refuse("the end of a value");
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        continue;
      }
      depth += (c == '{' || c == '[') - (c == '}' || c == ']');
      ++at_;
    } while (depth > 0);
  } else if (first == 't' || first == 'f') {
    boolean();
  } else if (first == 'n') {
    expect_word("null");
  } else {
    number();
  }
  return text_.substr(begin, at_ - begin);
}

void JsonReader::end() {
  if (peek() != 0) refuse("the end of the line");
}

void JsonReader::expect_word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) refuse(std::string(word));
  at_ += word.size();
}

void JsonReader::refuse(const std::string &expected) const {
  const std::string cause = "expected " + expected,
                    found = at_ < text_.size() ? ": " + shown(text_.substr(at_), 20) : "";
  throw Dropped(DropReason::kMalformed,
                cause + " at byte " + std::to_string(at_) + " of the line" + found, cause);
}

void JsonReader::skip_string() {
  for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
    if (text_[at_] == '\\') ++at_;
  if (at_ >= text_.size()) {
    at_ = text_.size();
    refuse("the end of a string");
  }
  ++at_;
}

void JsonReader::append_escaped(std::string &result) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  ++at_;
  const char c = at_ < text_.size() ? text_[at_++] : '\0';
  const size_t index = kEscapes.find(c);
  if (c != '\0' && index != std::string_view::npos) {
    result.push_back(kMeanings[index]);
    return;
  }
  if (c != 'u') refuse("an escape that JSON has");
  unsigned code = hex4();
  const bool is_pair = code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u";
  if (is_pair) {
    at_ += 2;
    code = 0x10000 + ((code & 0x3ff) << 10) + (hex4() & 0x3ff);
  }
  append_utf8(result, code);
}

unsigned JsonReader::hex4() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
    if (c == '\0' || digit == std::string_view::npos) refuse("four hexadecimal digits");
    code = code * 16 + static_cast<unsigned>(digit);
  }
  return code;
}

}  // namespace golois
