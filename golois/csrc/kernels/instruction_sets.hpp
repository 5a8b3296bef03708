// One position's part of training a chain of inverted bottlenecks, for each instruction set that
// the core is compiled for.
//
// A position is `points` rows of channels. Arrays of S keep what the backward pass needs: float, or
// the upper half of one (bfloat16). Sums add up over the batch in the caller; a pass adds the sums
// of one position to `sums`, [2 n]: of a value, and of the value times another.
#pragma once

#include <cstddef>
#include <cstdint>

namespace golois {

struct BottleneckShape {
  int32_t blocks, size, trunk, filters;
  // 1: each channel is convolved by 3 × 3; 2: also by 5 × 5, into channels behind those of 3 × 3
  int32_t kernels = 1;
  bool swish = false;    // instead of ReLU
  // hidden units of squeeze-and-excitation at the end of a block; 0: it has none
  int32_t squeezed = 0;

  int points() const { return size * size; }
  int wide() const { return kernels * filters; }  // channels behind the depthwise convolutions
  int taps() const { return kernels == 1 ? 9 : 9 + 25; }
  int border() const { return kernels; }  // points that the largest kernel reaches beyond the board
  int padded_size() const { return size + 2 * border(); }
};

// A normalization of n channels: z becomes z · scale + shift, which is γ (z − mean) · inverse + β.
struct Norm {
  const float *scale, *shift, *mean, *inverse;
};

// The same backward: a gradient g becomes g · scale + z · slope + offset.
struct NormGradient {
  const float *scale, *slope, *offset;
};

// Rows that a pass works on at a time, and channels of the longest vector; memory for so many is in
// Scratch.
constexpr int kRows = 64, kMaxLanes = 16;

// Memory of one thread, aligned to 64 bytes. The rest of `padded` is 0 where no point of the board
// is written.
struct Scratch {
  void *narrow, *wide;          // [kRows, trunk] and [kRows, wide], in the numbers of the products
  float *out;                   // [kRows, max(trunk, wide)] or [points, kMaxLanes]
  float *slopes;                // [kRows, wide] or [points, kMaxLanes]: derivatives of activations
  uint16_t *tiles;              // what the products need
  // [padded_size, padded_size, kMaxLanes]: a vector of channels of a board and its border
  float *padded, *also_padded;
};

// What an instruction set does for a position. Matrices of the products are as `pack` leaves them.
// Shape and memory are values: behind a reference the compiler would read them again after every
// vector that it writes.
template <class S>
struct BottleneckKernels {
  int multiple;  // channels must be a multiple of this
  size_t cell;   // bytes of a number in a product

  void (*begin_thread)();
  // From w [k, n].
  void (*pack)(const float *w, int k, int n, void *packed);
  // x += norm(z3) of the block before, if any; keeps x in `kept`; z1 = x w1; sums of z1 and z1².
  void (*forward_first)(BottleneckShape, const Norm *before, const S *z3_before, float *x, S *kept,
                        const void *w1, S *z1, Scratch, float *sums);
  // z2 = activation(norm1(z1)) convolved by wd [taps, filters]; sums of z2 and z2².
  void (*forward_depthwise)(BottleneckShape, const S *z1, const Norm &norm1, const float *wd, S *z2,
                            Scratch, float *sums);
  // z3 = activation(norm2(z2)) w2; sums of z3 and z3².
  void (*forward_last)(BottleneckShape, const S *z2, const Norm &norm2, const void *w2, S *z3,
                       Scratch, float *sums);
  // out = x + norm3(z3).
  void (*finish)(BottleneckShape, const float *x, const S *z3, const Norm &norm3, float *out);
  // Sums of g and of g times what norm3 made of z3, before γ and β.
  void (*count_gradient)(BottleneckShape, const float *g, const S *z3, const Norm &norm3,
                         float *sums);
  // From g, the gradient of the block's output: dw2ᵀ [trunk, wide] grows, d [points, wide] is the
  // gradient before the second activation, with its sums.
  void (*backward_last)(BottleneckShape, const float *g, const S *z3, const NormGradient &,
                        const S *z2, const Norm &norm2, const void *w2_transposed,
                        float *dw2_transposed, S *d, Scratch, float *sums);
  // The first `filters` channels of d become the gradient before the first activation, with its
  // sums; dwd [taps, filters] grows.
  void (*backward_depthwise)(BottleneckShape, S *d, const S *z2, const NormGradient &, const S *z1,
                             const Norm &norm1, const float *wd, float *dwd, Scratch, float *sums);
  // dw1 [trunk, filters] grows, g becomes the gradient of the block's input, with the sums of the
  // block before, if any.
  void (*backward_first)(BottleneckShape, const S *d, const S *z1, const NormGradient &,
                         const S *kept, const void *w1_transposed, float *dw1, float *g,
                         const S *z3_before, const Norm *norm3_before, Scratch, float *sums);
};

// The kernels for an instruction set and an activation; null where the compiler has none for it.
struct KernelSet {
  const BottleneckKernels<float> *full;
  const BottleneckKernels<uint16_t> *half;
};
KernelSet plain_kernels(bool swish);
KernelSet avx2_kernels(bool swish);
KernelSet avx512_kernels(bool swish);
KernelSet avx512_bf16_kernels(bool swish);
KernelSet amx_kernels(bool swish);

// GCC 11 is the first that knows all of these instructions.
#if defined(__x86_64__) && defined(__linux__) && __GNUC__ >= 11 && !defined(__clang__)
#define GOLOIS_X86_KERNELS
#endif

}  // namespace golois
