#include "features.hpp"

#include <algorithm>

// Compiles a function for AVX2 as well: eight numbers at a time. Which version runs is decided when the library is loaded.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define GOLOIS_ALSO_FOR_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define GOLOIS_ALSO_FOR_AVX2
#endif

namespace golois {

namespace {

constexpr uint32_t bit_of(int plane) { return uint32_t{1} << (31 - plane); }

// The bits that all stones of a chain share, at its name; none at kNoChain.
using ChainBits = std::array<uint32_t, kMaxPoints + 1>;

// Marks a chain in `plane`, and the enemy chains beside it in the next plane.
void mark_ladder(const Board &board, int chain, int plane, ChainBits &bits) {
  bits[chain] |= bit_of(plane);
  board.for_each_stone(chain, [&](int p) {
    for (int q : board.neighbours(p))
      if (board.at(q) == opponent(board.at(p))) bits[board.chain_at(q)] |= bit_of(plane + 1);
  });
}

// Liberties, and what `reader`, a LadderReader or a LadderMemory, says of chains with one liberty or two.
template <typename Reader>
ChainBits chain_bits(const Board &board, Reader &reader) {
  ChainBits bits{};
  board.for_each_chain([&](int chain) {
    const int num_liberties = board.num_liberties(chain);
    if (num_liberties == 0) return;  // not a legal position, but a damaged file can contain it
    bits[chain] |= bit_of(kLibertiesPlane + std::min(num_liberties, 6) - 1);
    if (num_liberties <= 2 && reader.is_caught(chain))
      mark_ladder(board, chain, num_liberties == 1 ? kLostPlane : kCatchablePlane, bits);
  });
  return bits;
}

// The planes of one colour's stones now and before.
constexpr uint32_t history_bits(int first_plane) {
  uint32_t bits = 0;
  for (int ago = 0; ago < Position::kHistory; ++ago) bits |= bit_of(first_plane + 2 * ago);
  return bits;
}

// Corrects planes that show one colour's present stones at all times: few stones change in a few moves.
void correct_history(const PlanesInput &input, Colour colour, int first_plane, PlaneWords &words) {
  for (int ago = 1; ago < Position::kHistory; ++ago) {
    PointSet changed = input.recent[ago].of(colour);
    changed ^= input.recent[0].of(colour);
    changed.for_each([&](int p) { words[p] ^= bit_of(first_plane + 2 * ago); });
  }
}

// Writes the planes of a point, and a 0 behind them if num_numbers is one more.
template <int num_numbers, typename Number>
inline void write_point(uint32_t word, Number *numbers) {
  static constexpr auto kBits = [] {
    std::array<uint32_t, 32> bits{};
    for (int plane = 0; plane < 32; ++plane) bits[plane] = bit_of(plane);
    return bits;
  }();
  for (int plane = 0; plane < num_numbers; ++plane) numbers[plane] = (word & kBits[plane]) != 0 ? Number{1} : Number{0};
}

// A whole number of vectors per point: the next point overwrites what the last vector writes beyond it.
template <typename Number>
inline void write_numbers(const PlaneWords &words, int symmetry, Number *planes) {
  const auto &shown_at = kSymmetry[inverse_symmetry(symmetry)];
  for (int p = 0; p < kMaxPoints - 1; ++p, planes += kNumPlanes) write_point<kNumPlanes + 1>(words[shown_at[p]], planes);
  write_point<kNumPlanes>(words[shown_at[kMaxPoints - 1]], planes);
}

PlaneWords plane_words_of(const PlanesInput &input, const ChainBits &of_chain) {
  const bool has_komi_plane = input.komi >= 0 && input.komi < kNumKomiPlanes;
  const int komi = has_komi_plane ? static_cast<int>(input.komi) : 0;
  const uint32_t everywhere = (input.to_play == kBlack ? bit_of(kBlackToPlayPlane) : 0) |
                              (has_komi_plane ? bit_of(kKomiPlane + komi) : 0);
  std::array<uint32_t, kWhite + 1> of_colour{};
  of_colour[input.to_play] = history_bits(kStonesPlane);
  of_colour[opponent(input.to_play)] = history_bits(kStonesPlane + 1);

  PlaneWords words;
  words.fill(everywhere);
  for (Colour colour : {kBlack, kWhite})
    input.board.stones(colour).for_each(
        [&](int p) { words[p] |= of_colour[colour] | of_chain[input.board.chain_at(p)]; });
  correct_history(input, input.to_play, kStonesPlane, words);
  correct_history(input, opponent(input.to_play), kStonesPlane + 1, words);
  return words;
}

}  // namespace

PlaneWords plane_words(const PlanesInput &input) {
  LadderReader reader(input.board);
  return plane_words_of(input, chain_bits(input.board, reader));
}

PlaneWords plane_words(const PlanesInput &input, LadderMemory &ladders) {
  return plane_words_of(input, chain_bits(input.board, ladders));
}

GOLOIS_ALSO_FOR_AVX2 void write_planes(const PlaneWords &words, int symmetry, float *planes) {
  write_numbers(words, symmetry, planes);
}

GOLOIS_ALSO_FOR_AVX2 void write_planes(const PlaneWords &words, int symmetry, uint8_t *planes) {
  write_numbers(words, symmetry, planes);
}

void write_packed_planes(const PlaneWords &words, int symmetry, uint8_t *bytes) {
  const auto &shown_at = kSymmetry[inverse_symmetry(symmetry)];
  uint64_t waiting = 0;  // bits not yet written, the lowest num_waiting of them
  int num_waiting = 0;
  for (int p = 0; p < kMaxPoints; ++p) {
    waiting = waiting << kNumPlanes | words[shown_at[p]] >> 1;
    for (num_waiting += kNumPlanes; num_waiting >= 8; num_waiting -= 8)
      *bytes++ = static_cast<uint8_t>(waiting >> (num_waiting - 8));
  }
  if (num_waiting > 0) *bytes = static_cast<uint8_t>(waiting << (8 - num_waiting));
}

}  // namespace golois
