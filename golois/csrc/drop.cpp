#include "drop.hpp"

namespace golois {

std::string shown(std::string_view text) {
  constexpr size_t kMostBytes = 60;
  constexpr unsigned kContinuationMask = 0xc0, kContinuation = 0x80;
  size_t size = text.size();
  if (size > kMostBytes)
    for (size = kMostBytes; size > 0 && (static_cast<uint8_t>(text[size]) & kContinuationMask) == kContinuation;) --size;
  std::string line(text.substr(0, size));
  for (char &c : line)
    if (static_cast<uint8_t>(c) < ' ' || c == '\x7f') c = ' ';
  return size < text.size() ? line + "…" : line;
}

}  // namespace golois
