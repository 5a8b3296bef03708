#include "abi/status.hpp"

#include "abi/golois.h"
#include "kit/error.hpp"

namespace golois {

namespace {

std::string &last_error() {
  thread_local std::string text;
  return text;
}

}  // namespace

void set_last_error(const std::string &text) { last_error() = text; }

void require_capacity(int64_t capacity, uint64_t needed) {
  if (capacity < 0 || static_cast<uint64_t>(capacity) < needed)
    throw Error("the array needs room for " + std::to_string(needed) + " elements, not " +
                std::to_string(capacity));
}

}  // namespace golois

int32_t golois_abi_version(void) { return 3; }

const char *golois_last_error(void) { return golois::last_error().c_str(); }
