// How C++ errors cross the C surface: as a status, with the text kept for golois_last_error().
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "kit/error.hpp"

namespace golois {

enum Status : int32_t { kOk = 0, kFailed = 1, kDamaged = 2 };

void set_last_error(const std::string &text);

// Throws Error when a caller's buffer is too small.
void require_capacity(int64_t capacity, uint64_t needed);

// Runs body() and turns an exception into a status.
template <typename Body>
[[nodiscard]] int32_t guarded(Body body) noexcept {
  try {
    body();
    return kOk;
  } catch (const DamagedFile &error) {
    set_last_error(error.what());
    return kDamaged;
  } catch (const std::exception &error) {
    set_last_error(error.what());
    return kFailed;
  }
}

}  // namespace golois
