// The exceptions of the native core; they never leave the C surface (status.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace golois {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A packed file that is not what it says; the text has the offset.
class DamagedFile : public Error {
 public:
  using Error::Error;
};

}  // namespace golois
