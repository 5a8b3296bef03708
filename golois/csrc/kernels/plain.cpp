// The kernels for any processor.
#include <cstring>

#include "kernels/instruction_sets.hpp"

#ifdef __GNUC__  // and Clang: vectors are an extension of C++
#ifndef __clang__
#pragma GCC optimize("fp-contract=fast")
#endif

namespace golois {

namespace {

constexpr int kLanes = 4, kTileRows = 4, kTileWeights = 4;
#include "kernels/vectors.hpp"
#include "kernels/passes.hpp"

template <class A>
constexpr KernelSet kSet{&kKernels<float, VectorProducts, A>,
                         &kKernels<uint16_t, VectorProducts, A>};

}  // namespace

KernelSet plain_kernels(bool swish) { return swish ? kSet<Swish> : kSet<Relu>; }

}  // namespace golois
#else
golois::KernelSet golois::plain_kernels(bool) { return {}; }
#endif
