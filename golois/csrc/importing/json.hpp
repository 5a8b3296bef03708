// Reads JSON text from front to back, without building a tree.
#pragma once

#include <string>
#include <string_view>

#include "kit/decimal.hpp"

namespace golois {

// Each read takes one value, with the white space before it, from the front of the text. Throws
// Dropped (kMalformed) where the text is something else.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // Calls member(key) for each member of an object; it must read or skip the value.
  template <typename Member>
  void object(Member member) {
    expect('{');
    if (take('}')) return;
    do {
      const std::string key = string();
      expect(':');
      member(key);
    } while (take(','));
    expect('}');
  }

  // Calls element() for each element of an array; it must read or skip it.
  template <typename Element>
  void array(Element element) {
    expect('[');
    if (take(']')) return;
    do element();
    while (take(','));
    expect(']');
  }

  std::string string();  // in UTF-8
  double number() {
    // most of a policy
    const bool is_zero = peek() == '0' && at_ + 1 < text_.size() && text_[at_ + 1] == ',';
    at_ += is_zero;
    return is_zero ? 0 : read_number();
  }
  bool boolean();
  // Skips any value; returns its text.
  std::string_view skip();
  // Nothing but white space may follow.
  void end();
  // The next character but for white space; 0 at the end.
  char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

 private:
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse(std::string("'") + c + "'");
  }
  double read_number();
  void expect_word(std::string_view word);
  [[noreturn]] void refuse(const std::string &expected) const;
  void skip_string();
  void append_escaped(std::string &result);
  unsigned hex4();

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace golois
