// The kernels for processors with AVX2 and FMA: sixteen registers of eight numbers.
#include <cstring>

#include "kernels/instruction_sets.hpp"

#ifdef GOLOIS_X86_KERNELS
#include <immintrin.h>

#pragma GCC target("avx2,fma")
#pragma GCC optimize("fp-contract=fast")

namespace golois {

namespace {

constexpr int kLanes = 8, kTileRows = 6, kTileWeights = 4;
#include "kernels/vectors.hpp"
#include "kernels/passes.hpp"

template <class A>
constexpr KernelSet kSet{&kKernels<float, VectorProducts, A>,
                         &kKernels<uint16_t, VectorProducts, A>};

}  // namespace

KernelSet avx2_kernels(bool swish) { return swish ? kSet<Swish> : kSet<Relu>; }

}  // namespace golois
#else
golois::KernelSet golois::avx2_kernels(bool) { return {}; }
#endif
