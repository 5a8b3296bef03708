// The kernels for processors with AVX-512 and its products of bfloat16.
#include <cstring>

#include "kernels/instruction_sets.hpp"

#ifdef GOLOIS_X86_KERNELS
#include <immintrin.h>

// GCC 12 warns of its own headers.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")
#pragma GCC optimize("fp-contract=fast")
#define GOLOIS_AVX512
#define GOLOIS_AVX512_BF16

namespace golois {

namespace {

constexpr int kLanes = 16, kTileRows = 12, kTileWeights = 8;
#include "kernels/vectors.hpp"
#include "kernels/pairs.hpp"
#include "kernels/passes.hpp"

template <class A>
constexpr KernelSet kSet{nullptr, &kKernels<uint16_t, PairProducts, A>};

}  // namespace

KernelSet avx512_bf16_kernels(bool swish) { return swish ? kSet<Swish> : kSet<Relu>; }

}  // namespace golois
#else
golois::KernelSet golois::avx512_bf16_kernels(bool) { return {}; }
#endif
