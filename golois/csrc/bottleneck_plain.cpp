// The kernels for any processor.
#include <cstring>

#include "bottleneck_kernels.hpp"

#ifdef __GNUC__  // and Clang: vectors are an extension of C++
#ifndef __clang__
#pragma GCC optimize("fp-contract=fast")
#endif

namespace golois {

namespace {

constexpr int kTileRows = 2, kTileWeights = 1;
#include "bottleneck_vectors.hpp"

constexpr auto kFull = kernels_of<float, VectorProducts>();
constexpr auto kHalf = kernels_of<uint16_t, VectorProducts>();

}  // namespace

KernelSet plain_kernels() { return {&kFull, &kHalf}; }

}  // namespace golois
#else
golois::KernelSet golois::plain_kernels() { return {}; }
#endif
