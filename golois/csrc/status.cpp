#include "status.hpp"

#include "golois.h"

namespace golois {

namespace {

std::string &last_error() {
  thread_local std::string text;
  return text;
}

}  // namespace

void set_last_error(const std::string &text) { last_error() = text; }

}  // namespace golois

int32_t golois_abi_version(void) { return 1; }

const char *golois_last_error(void) { return golois::last_error().c_str(); }
