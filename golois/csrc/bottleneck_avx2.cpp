// The kernels for processors with AVX2 and FMA: sixteen registers of eight numbers.
#include <cstring>

#include "bottleneck_kernels.hpp"

#ifdef GOLOIS_X86_KERNELS
#include <immintrin.h>

#pragma GCC target("avx2,fma")
#pragma GCC optimize("fp-contract=fast")

namespace golois {

namespace {

constexpr int kTileRows = 3, kTileWeights = 2;
#include "bottleneck_vectors.hpp"

constexpr auto kFull = kernels_of<float, VectorProducts>();
constexpr auto kHalf = kernels_of<uint16_t, VectorProducts>();

}  // namespace

KernelSet avx2_kernels() { return {&kFull, &kHalf}; }

}  // namespace golois
#else
golois::KernelSet golois::avx2_kernels() { return {}; }
#endif
