// The kernels for processors with AVX-512: 32 registers of sixteen numbers.
#include <cstring>

#include "bottleneck_kernels.hpp"

#ifdef GOLOIS_X86_KERNELS
#include <immintrin.h>

#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")
#pragma GCC optimize("fp-contract=fast")

namespace golois {

namespace {

constexpr int kTileRows = 12, kTileWeights = 8;
#include "bottleneck_vectors.hpp"

constexpr auto kFull = kernels_of<float, VectorProducts>();
constexpr auto kHalf = kernels_of<uint16_t, VectorProducts>();

}  // namespace

KernelSet avx512_kernels() { return {&kFull, &kHalf}; }

}  // namespace golois
#else
golois::KernelSet golois::avx512_kernels() { return {}; }
#endif
