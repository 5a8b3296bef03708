#include "records/drop.hpp"

#include <cstdint>

namespace golois {

std::string shown(std::string_view text, size_t max_bytes) {
  const auto is_inside_character = [&](size_t at) { return (text[at] & 0xc0) == 0x80; };
  size_t size = text.size();
  if (size > max_bytes)
    for (size = max_bytes; size > 0 && is_inside_character(size);) --size;
  std::string line(text.substr(0, size));
  for (char &c : line)
    if (static_cast<uint8_t>(c) < ' ' || c == '\x7f') c = ' ';
  return size < text.size() ? line + "…" : line;
}

}  // namespace golois
