#include "kernels/bottlenecks.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/gates.hpp"
#include "kernels/norm.hpp"
#include "kit/error.hpp"
#include "kit/team.hpp"

#ifdef GOLOIS_X86_KERNELS
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace golois {

namespace {

bool has(Instructions instructions) {
#ifdef GOLOIS_X86_KERNELS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  const bool bf16 = avx512 && __builtin_cpu_supports("avx512bf16");
  switch (instructions) {
    case Instructions::kPlain: return true;
    case Instructions::kAvx2: return avx2;
    case Instructions::kAvx512: return avx512;
    case Instructions::kAvx512Bf16: return bf16;
    case Instructions::kAmx: {
      if (!bf16 || !__builtin_cpu_supports("amx-bf16")) return false;
      // Linux asks for it, as tiles need room on every thread
      constexpr long kRequestPermission = 0x1023, kTileData = 18;
      return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
    }
  }
  return false;
#else
  return instructions == Instructions::kPlain;
#endif
}

KernelSet kernel_set(Instructions instructions, bool swish) {
  switch (instructions) {
    case Instructions::kAvx2: return avx2_kernels(swish);
    case Instructions::kAvx512: return avx512_kernels(swish);
    case Instructions::kAvx512Bf16: return avx512_bf16_kernels(swish);
    case Instructions::kAmx: return amx_kernels(swish);
    default: return plain_kernels(swish);
  }
}

template <class S>
const BottleneckKernels<S> *kernels_for(Instructions instructions, bool swish) {
  if constexpr (std::is_same_v<S, float>) return kernel_set(instructions, swish).full;
  else return kernel_set(instructions, swish).half;
}

// Where the weights of one block are.
template <class T>
struct BlockWeights {
  T *w1, *gamma1, *beta1, *wd, *gamma2, *beta2, *w2, *gamma3, *beta3, *gates;

  BlockWeights(const BottleneckShape &s, T *p) {
    const auto take = [&p](int n) { return std::exchange(p, p + n); };
    w1 = take(s.trunk * s.filters), gamma1 = take(s.filters), beta1 = take(s.filters);
    wd = take(s.taps() * s.filters), gamma2 = take(s.wide()), beta2 = take(s.wide());
    w2 = take(s.wide() * s.trunk), gamma3 = take(s.trunk), beta3 = take(s.trunk);
    gates = take(2 * s.trunk * s.squeezed);
  }
  static int64_t size(const BottleneckShape &s) {
    const int widening = s.filters * (s.trunk + 2),
              convolution = s.filters * s.taps() + 2 * s.wide();
    return widening + convolution + (s.wide() + 2) * s.trunk + 2 * s.trunk * s.squeezed;
  }
};

std::vector<float> transposed(const float *w, int rows, int columns) {
  std::vector<float> result(static_cast<size_t>(rows) * columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) result[j * rows + i] = w[i * columns + j];
  return result;
}

template <class S>
class BottlenecksOf final : public Bottlenecks {
 public:
  BottlenecksOf(const BottleneckShape &shape, const BottleneckOptions &options,
                const BottleneckKernels<S> &kernels)
      : shape_(shape),
        options_(options),
        kernels_(kernels),
        norms_(3 * shape.blocks),
        gates_(shape.blocks),
        memories_(std::max(1, options.num_threads), scratch_memory()) {}

  void forward(int64_t n, const float *x, const float *weights, float *out,
               float *statistics) override;
  void backward(const float *gradient, float *input_gradient, float *weight_gradients) override;

 private:
  // What the backward pass needs of a block, for the whole batch.
  struct Kept {
    Buffer<S> x, z1, z2, z3;
  };

  // Calls work(position, scratch, sums, gradients) for every position. Returns the sums; adds to
  // `gradients`.
  template <class Work>
  std::vector<double> pass(Team &team, int num_sums, int num_gradients, float *gradients,
                           Work work);

  Buffer<uint8_t> packed(const float *w, int k, int n) const {
    Buffer<uint8_t> result(kernels_.cell * k * n);
    kernels_.pack(w, k, n, result.data());
    return result;
  }
  Buffer<float> scratch_memory() const;
  Scratch scratch(Buffer<float> &memory) const;
  size_t out_size() const {
    return std::max(kRows * std::max(shape_.trunk, shape_.wide()), kMaxLanes * shape_.points());
  }
  size_t padded_numbers() const { return kMaxLanes * shape_.padded_size() * shape_.padded_size(); }
  size_t slopes_size() const {
    return std::max(kRows * shape_.wide(), kMaxLanes * shape_.points());
  }
  int num_parts() const {
    return static_cast<int>(std::max<int64_t>(1, std::min<int64_t>(options_.num_threads, batch_)));
  }
  double count() const { return static_cast<double>(batch_) * shape_.points(); }
  int64_t narrow_at(int64_t position) const { return position * shape_.points() * shape_.trunk; }
  int64_t filters_at(int64_t position) const { return position * shape_.points() * shape_.filters; }
  int64_t wide_at(int64_t position) const { return position * shape_.points() * shape_.wide(); }

  void keep_sums(int64_t position, const float *sums) {
    std::copy_n(sums, 2 * shape_.trunk, &position_sums_[2 * shape_.trunk * position]);
  }
  // What ends block l: its last normalization, with the gates of the position.
  Norm last_norm(int l, int64_t position) const {
    return shape_.squeezed ? gates_[l].norm(position) : norms_[3 * l + 2].norm();
  }

  BottleneckShape shape_;
  BottleneckOptions options_;
  const BottleneckKernels<S> &kernels_;
  int64_t batch_ = 0;
  bool is_complete_ = false;  // the last forward pass
  std::vector<float> weights_;
  std::vector<BatchNorm> norms_;
  std::vector<Gates> gates_;
  std::vector<Kept> kept_;
  Buffer<float> x_;
  Buffer<S> d_;
  Buffer<float> position_sums_;  // of the pass before the gates of a block, or behind them
  std::vector<Buffer<float>> memories_;  // of each thread
};

template <class S>
template <class Work>
std::vector<double> BottlenecksOf<S>::pass(Team &team, int num_sums, int num_gradients,
                                           float *gradients, Work work) {
  struct Part {
    std::vector<double> sums;
    Buffer<float> gradients;
  };
  const int num_parts = this->num_parts();
  std::vector<Part> parts(num_parts);
  team.run(num_parts, [&](int64_t k) {
    kernels_.begin_thread();
    Part &part = parts[k] = {std::vector<double>(num_sums), Buffer<float>(num_gradients)};
    Buffer<float> sums(num_sums);
    for (int64_t i = batch_ * k / num_parts; i < batch_ * (k + 1) / num_parts; ++i) {
      std::fill(sums.begin(), sums.end(), 0.f);
      work(i, scratch(memories_[k]), sums.data(), part.gradients.data());
      for (int j = 0; j < num_sums; ++j) part.sums[j] += sums[j];
    }
    // what was written past the caches, for the threads of the next pass
    std::atomic_thread_fence(std::memory_order_seq_cst);
  });
  std::vector<double> sums(num_sums);
  for (const Part &part : parts) {
    for (int j = 0; j < num_sums; ++j) sums[j] += part.sums[j];
    for (int j = 0; j < num_gradients; ++j) gradients[j] += part.gradients[j];
  }
  return sums;
}

template <class S>
Buffer<float> BottlenecksOf<S>::scratch_memory() const {
  // as many bfloat16 as there are cells
  const size_t channels = shape_.trunk + shape_.wide(), tiles = kRows * channels / 2;
  return Buffer<float>(2 * padded_numbers() + kRows * channels + out_size() + slopes_size() +
                       tiles);
}

template <class S>
Scratch BottlenecksOf<S>::scratch(Buffer<float> &memory) const {
  float *p = memory.data();
  const auto take = [&p](size_t n) { return std::exchange(p, p + n); };
  Scratch result;
  result.padded = take(padded_numbers()), result.also_padded = take(padded_numbers());
  result.narrow = take(kRows * shape_.trunk), result.wide = take(kRows * shape_.wide());
  result.out = take(out_size()), result.slopes = take(slopes_size());
  result.tiles = reinterpret_cast<uint16_t *>(p);
  return result;
}

template <class S>
void BottlenecksOf<S>::forward(int64_t n, const float *x, const float *weights, float *out,
                               float *statistics) {
  const int t = shape_.trunk, f = shape_.filters, wide = shape_.wide();
  if (n < 1) throw Error("there is no position to compute");
  is_complete_ = false;
  batch_ = n;
  weights_.assign(weights, weights + shape_.blocks * BlockWeights<float>::size(shape_));
  x_.assign(x, x + narrow_at(n));
  kept_.resize(shape_.blocks), position_sums_.resize(2 * t * n);
  Team team(num_parts());
  for (int l = 0; l < shape_.blocks; ++l) {
    const BlockWeights<const float> w(shape_,
                                      weights_.data() + l * BlockWeights<float>::size(shape_));
    Kept &kept = kept_[l];
    kept.x.resize(narrow_at(n)), kept.z1.resize(filters_at(n)), kept.z2.resize(wide_at(n)),
        kept.z3.resize(narrow_at(n));
    const auto w1 = packed(w.w1, t, f), w2 = packed(w.w2, wide, t);
    const auto normalise = [&](int which, int channels, const float *gamma, const float *beta,
                               const std::vector<double> &sums) {
      norms_[3 * l + which] =
          BatchNorm(channels, gamma, beta, sums, count(), options_.epsilon, statistics);
      statistics += 2 * channels;
      return norms_[3 * l + which].norm();
    };

    const S *z3_before = l > 0 ? kept_[l - 1].z3.data() : kept.z3.data();
    const auto sums1 =
        pass(team, 2 * f, 0, nullptr, [&](int64_t i, const Scratch &scratch, float *sums, float *) {
          const Norm before = l > 0 ? last_norm(l - 1, i) : Norm{};
          kernels_.forward_first(shape_, l > 0 ? &before : nullptr, z3_before + narrow_at(i),
                                 &x_[narrow_at(i)], &kept.x[narrow_at(i)], w1.data(),
                                 &kept.z1[filters_at(i)], scratch, sums);
        });
    const Norm norm1 = normalise(0, f, w.gamma1, w.beta1, sums1);
    const auto sums2 = pass(team, 2 * wide, 0, nullptr,
                            [&](int64_t i, const Scratch &scratch, float *sums, float *) {
                              kernels_.forward_depthwise(shape_, &kept.z1[filters_at(i)], norm1,
                                                         w.wd, &kept.z2[wide_at(i)], scratch, sums);
                            });
    const Norm norm2 = normalise(1, wide, w.gamma2, w.beta2, sums2);
    const auto sums3 =
        pass(team, 2 * t, 0, nullptr, [&](int64_t i, const Scratch &scratch, float *sums, float *) {
          kernels_.forward_last(shape_, &kept.z2[wide_at(i)], norm2, w2.data(),
                                &kept.z3[narrow_at(i)], scratch, sums);
          keep_sums(i, sums);
        });
    const Norm norm3 = normalise(2, t, w.gamma3, w.beta3, sums3);
    if (shape_.squeezed)
      gates_[l] = Gates({t, shape_.squeezed, shape_.points()}, w.gates, norm3, position_sums_);
  }
  pass(team, 0, 0, nullptr, [&](int64_t i, const Scratch &, float *, float *) {
    kernels_.finish(shape_, &x_[narrow_at(i)], &kept_.back().z3[narrow_at(i)],
                    last_norm(shape_.blocks - 1, i), out + narrow_at(i));
  });
  is_complete_ = true;
}

template <class S>
void BottlenecksOf<S>::backward(const float *gradient, float *input_gradient,
                                float *weight_gradients) {
  const int t = shape_.trunk, f = shape_.filters, wide = shape_.wide();
  if (!is_complete_) throw Error("there is no gradient before a forward pass");
  float *g = input_gradient;
  std::copy(gradient, gradient + narrow_at(batch_), g);
  std::fill_n(weight_gradients, shape_.blocks * BlockWeights<float>::size(shape_), 0.f);
  d_.resize(wide_at(batch_));
  Team team(num_parts());
  const auto write = [](const std::vector<double> &sums, int n, float *gamma, float *beta) {
    std::copy_n(sums.begin(), n, beta);
    std::copy_n(sums.begin() + n, n, gamma);
  };

  const Norm last = norms_.back().norm();
  auto sums3 = pass(team, 2 * t, 0, nullptr, [&](int64_t i, const Scratch &, float *sums, float *) {
    kernels_.count_gradient(shape_, g + narrow_at(i), &kept_.back().z3[narrow_at(i)], last, sums);
    keep_sums(i, sums);
  });
  for (int l = shape_.blocks - 1; l >= 0; --l) {
    const int64_t start = l * BlockWeights<float>::size(shape_);
    const BlockWeights<const float> w(shape_, weights_.data() + start);
    const BlockWeights<float> dw(shape_, weight_gradients + start);
    const Kept &kept = kept_[l];
    const Norm norm1 = norms_[3 * l].norm(), norm2 = norms_[3 * l + 1].norm();
    const auto w1_transposed = packed(transposed(w.w1, t, f).data(), f, t);
    const auto w2_transposed = packed(transposed(w.w2, wide, t).data(), t, wide);

    if (shape_.squeezed) sums3 = gates_[l].backward(position_sums_, dw.gates);
    write(sums3, t, dw.gamma3, dw.beta3);
    const auto gradient3 = norms_[3 * l + 2].gradient(sums3, count());
    const auto gated =
        shape_.squeezed ? gates_[l].gradients(view(gradient3)) : std::vector(batch_, gradient3);
    Buffer<float> dw2_transposed(t * wide);
    const auto sums2 = pass(team, 2 * wide, t * wide, dw2_transposed.data(),
                            [&](int64_t i, Scratch scratch, float *sums, float *gradients) {
                              kernels_.backward_last(
                                  shape_, g + narrow_at(i), &kept.z3[narrow_at(i)], view(gated[i]),
                                  &kept.z2[wide_at(i)], norm2, w2_transposed.data(), gradients,
                                  &d_[wide_at(i)], scratch, sums);
                            });
    const auto dw2 = transposed(dw2_transposed.data(), t, wide);
    std::copy(dw2.begin(), dw2.end(), dw.w2);

    write(sums2, wide, dw.gamma2, dw.beta2);
    const auto gradient2 = norms_[3 * l + 1].gradient(sums2, count());
    const auto sums1 = pass(team, 2 * f, shape_.taps() * f, dw.wd,
                            [&](int64_t i, const Scratch &scratch, float *sums, float *gradients) {
                              kernels_.backward_depthwise(
                                  shape_, &d_[wide_at(i)], &kept.z2[wide_at(i)], view(gradient2),
                                  &kept.z1[filters_at(i)], norm1, w.wd, gradients, scratch, sums);
                            });

    write(sums1, f, dw.gamma1, dw.beta1);
    const auto gradient1 = norms_[3 * l].gradient(sums1, count());
    const Norm norm3_before = l > 0 ? norms_[3 * l - 1].norm() : Norm{};
    const S *z3_before = l > 0 ? kept_[l - 1].z3.data() : kept.z3.data();
    sums3 = pass(team, 2 * t, t * f, dw.w1,
                 [&](int64_t i, const Scratch &scratch, float *sums, float *gradients) {
                   kernels_.backward_first(
                       shape_, &d_[wide_at(i)], &kept.z1[filters_at(i)], view(gradient1),
                       &kept.x[narrow_at(i)], w1_transposed.data(), gradients, g + narrow_at(i),
                       z3_before + narrow_at(i), l > 0 ? &norm3_before : nullptr, scratch, sums);
                   keep_sums(i, sums);
                 });
  }
}

template <class S>
std::unique_ptr<Bottlenecks> make(const BottleneckShape &shape, const BottleneckOptions &options) {
  for (int level = static_cast<int>(options.most); level >= 0; --level) {
    const auto instructions = static_cast<Instructions>(level);
    const BottleneckKernels<S> *kernels = kernels_for<S>(instructions, shape.swish);
    if (kernels == nullptr || !has(instructions)) continue;
    if (shape.trunk % kernels->multiple == 0 && shape.filters % kernels->multiple == 0)
      return std::make_unique<BottlenecksOf<S>>(shape, options, *kernels);
  }
  throw Error("bottlenecks need channels in multiples of 16, not " + std::to_string(shape.trunk) +
              " and " + std::to_string(shape.filters) + ", and a compiler with vectors");
}

}  // namespace

Instructions best_instructions(Instructions most) {
  int level = static_cast<int>(most);
  const auto is_there = [](Instructions instructions) {
    return kernel_set(instructions, false).half != nullptr && has(instructions);
  };
  while (level > 0 && !is_there(static_cast<Instructions>(level))) --level;
  return static_cast<Instructions>(level);
}

std::unique_ptr<Bottlenecks> make_bottlenecks(const BottleneckShape &shape,
                                              const BottleneckOptions &options) {
  if (std::min({shape.blocks, shape.size, shape.trunk, shape.filters}) < 1 || shape.squeezed < 0)
    throw Error("bottlenecks need one block, point and channel at least");
  if (shape.kernels != 1 && shape.kernels != 2)
    throw Error("bottlenecks have kernels of one or two sizes, not " +
                std::to_string(shape.kernels));
  return options.half ? make<uint16_t>(shape, options) : make<float>(shape, options);
}

}  // namespace golois
