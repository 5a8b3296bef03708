// Seeded random numbers: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014).
#pragma once

#include <cstdint>

namespace golois {

// A bijection of 64-bit words whose output looks random; the finaliser of SplitMix64.
constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

class Rng {
 public:
  constexpr explicit Rng(uint64_t seed) : state_(seed) {}

  constexpr uint64_t next() { return mix64(state_ += 0x9e3779b97f4a7c15ULL); }

  // Uniform in 0 … bound−1 (bound > 0); the bias of the multiplication is below bound / 2^64.
  constexpr uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  // Uniform in (0, 1].
  constexpr double uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace golois
