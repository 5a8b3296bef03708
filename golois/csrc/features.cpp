#include "features.hpp"

#include <algorithm>
#include <cstring>

#include "ladder.hpp"

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

// Liberties and ladders.
ChainBits chain_bits(Board &board) {
  ChainBits bits{};
  LadderReader reader(board);
  board.for_each_chain([&](int chain) {
    const int num_liberties = board.num_liberties(chain);
    if (num_liberties == 0) return;  // no legal position, but a damaged file can ask for it
    bits[chain] |= bit_of(kLibertiesPlane + std::min(num_liberties, 6) - 1);
    if (num_liberties == 1 && reader.is_lost(chain)) mark_ladder(board, chain, kLostPlane, bits);
    if (num_liberties == 2 && reader.can_be_caught(chain)) mark_ladder(board, chain, kCatchablePlane, bits);
  });
  return bits;
}

// The planes of one colour's stones now and before.
constexpr uint32_t history_bits(int first_plane) {
  uint32_t bits = 0;
  for (int ago = 0; ago < Position::kHistory; ++ago) bits |= bit_of(first_plane + 2 * ago);
  return bits;
}

// Corrects planes that show one colour's present stones at all times: few changed in so few moves.
void correct_history(const PlanesInput &input, Colour colour, int first_plane, PlaneWords &words) {
  for (int ago = 1; ago < Position::kHistory; ++ago) {
    PointSet changed = input.recent[ago].of(colour);
    changed ^= input.recent[0].of(colour);
    changed.for_each([&](int p) { words[p] ^= bit_of(first_plane + 2 * ago); });
  }
}

// Every byte's bits, highest first, as eight numbers.
template <typename Number>
using ByteTable = std::array<std::array<Number, 8>, 256>;

template <typename Number>
constexpr ByteTable<Number> make_byte_table() {
  ByteTable<Number> table{};
  for (int byte = 0; byte < 256; ++byte)
    for (int i = 0; i < 8; ++i) table[byte][i] = static_cast<Number>(byte >> (7 - i) & 1);
  return table;
}

template <typename Number>
void write_numbers(const PlaneWords &words, int symmetry, Number *planes) {
  static constexpr ByteTable<Number> kNumbers = make_byte_table<Number>();
  constexpr int kLastByte = kNumPlanes - 24;  // planes of a word's lowest byte
  const auto &shown_at = kSymmetry[inverse_symmetry(symmetry)];
  for (int p = 0; p < kMaxPoints; ++p, planes += kNumPlanes) {
    const uint32_t word = words[shown_at[p]];
    for (int i = 0; i < 3; ++i)
      std::memcpy(planes + 8 * i, kNumbers[word >> (24 - 8 * i) & 255].data(), 8 * sizeof(Number));
    std::memcpy(planes + 24, kNumbers[word & 255].data(), kLastByte * sizeof(Number));
  }
}

}  // namespace

PlaneWords plane_words(const PlanesInput &input) {
  const bool has_komi_plane = input.komi >= 0 && input.komi < kNumKomiPlanes;
  const int komi = has_komi_plane ? static_cast<int>(input.komi) : 0;
  const uint32_t everywhere = (input.to_play == kBlack ? bit_of(kBlackToPlayPlane) : 0) |
                              (has_komi_plane ? bit_of(kKomiPlane + komi) : 0);
  const ChainBits of_chain = chain_bits(input.board);
  std::array<uint32_t, kWhite + 1> of_colour{};
  of_colour[input.to_play] = history_bits(kStonesPlane);
  of_colour[opponent(input.to_play)] = history_bits(kStonesPlane + 1);

  PlaneWords words;
  for (int p = 0; p < kMaxPoints; ++p)
    words[p] = everywhere | of_colour[input.board.at(p)] | of_chain[input.board.chain_at(p)];
  correct_history(input, input.to_play, kStonesPlane, words);
  correct_history(input, opponent(input.to_play), kStonesPlane + 1, words);
  return words;
}

void write_planes(const PlaneWords &words, int symmetry, float *planes) {
  write_numbers(words, symmetry, planes);
}

void write_planes(const PlaneWords &words, int symmetry, uint8_t *planes) {
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
