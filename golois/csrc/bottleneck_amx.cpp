// The kernels for processors with AMX, whose products are of bfloat16.
#include <cstring>

#include "bottleneck_kernels.hpp"

#ifdef GOLOIS_X86_KERNELS
#include <immintrin.h>

// GCC 12 warns of its own headers.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16")
#pragma GCC optimize("fp-contract=fast")

namespace golois {

namespace {

constexpr int kTileRows = 12, kTileWeights = 8;
#include "bottleneck_vectors.hpp"
#include "bottleneck_tiles.hpp"

constexpr auto kHalf = kernels_of<uint16_t, TileProducts>();

}  // namespace

KernelSet amx_kernels() { return {nullptr, &kHalf}; }

}  // namespace golois
#else
golois::KernelSet golois::amx_kernels() { return {}; }
#endif
