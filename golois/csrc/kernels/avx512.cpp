// The kernels for processors with AVX-512: 32 registers of sixteen numbers.
#include <cstring>

#include "kernels/instruction_sets.hpp"

#ifdef GOLOIS_X86_KERNELS
#include <immintrin.h>

// GCC 12 warns of its own headers.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")
#pragma GCC optimize("fp-contract=fast")
#define GOLOIS_AVX512

namespace golois {

namespace {

constexpr int kLanes = 16, kTileRows = 12, kTileWeights = 8;
#include "kernels/vectors.hpp"
#include "kernels/passes.hpp"

template <class A>
constexpr KernelSet kSet{&kKernels<float, VectorProducts, A>,
                         &kKernels<uint16_t, VectorProducts, A>};

}  // namespace

KernelSet avx512_kernels(bool swish) { return swish ? kSet<Swish> : kSet<Relu>; }

}  // namespace golois
#else
golois::KernelSet golois::avx512_kernels(bool) { return {}; }
#endif
