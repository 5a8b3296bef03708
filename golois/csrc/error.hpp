// The one exception of the native core; it never leaves the C surface (status.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace golois {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace golois
