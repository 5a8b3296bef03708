// The normalizations of bottlenecks over the batch, as numbers for the kernels.
#pragma once

#include <cstdint>
#include <new>
#include <vector>

#include "kernels/instruction_sets.hpp"

namespace golois {

// A vector that spans two lines of the cache is read twice.
template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheAligned() = default;
  template <class U>
  CacheAligned(const CacheAligned<U> &) {}
  T *allocate(size_t n) { return static_cast<T *>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T *p, size_t) { ::operator delete(p, kLine); }
  template <class U>
  bool operator==(const CacheAligned<U> &) const { return true; }
  template <class U>
  bool operator!=(const CacheAligned<U> &) const { return false; }
};
template <class T>
using Buffer = std::vector<T, CacheAligned<T>>;

// What a normalization makes of its sums over the batch.
class BatchNorm {
 public:
  BatchNorm() = default;
  BatchNorm(int n, const float *gamma, const float *beta, const std::vector<double> &sums,
            double count, float epsilon, float *statistics);

  Norm norm() const;

  // From the sums of the gradient and of the gradient times what was normalised, which are those of
  // β and γ: numbers of a NormGradient.
  Buffer<float> gradient(const std::vector<double> &sums, double count) const;

 private:
  int n_ = 0;
  Buffer<float> numbers_;
};

NormGradient view(const Buffer<float> &numbers);

}  // namespace golois
