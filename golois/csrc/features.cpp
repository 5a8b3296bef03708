#include "features.hpp"

#include <algorithm>
#include <cstring>

#include "ladder.hpp"

namespace golois {

namespace {

constexpr uint32_t bit_of(int plane) { return uint32_t{1} << (31 - plane); }

void mark(const PointSet &points, uint32_t bits, PlaneWords &words) {
  points.for_each([&](int p) { words[p] |= bits; });
}

void mark_chain(const Board &board, int chain, uint32_t bits, PlaneWords &words) {
  board.for_each_stone(chain, [&](int p) { words[p] |= bits; });
}

void mark_everywhere(uint32_t bits, PlaneWords &words) {
  for (uint32_t &word : words) word |= bits;
}

// Marks a chain in `plane`, and the enemy chains beside it in the next plane.
void mark_ladder(const Board &board, int chain, int plane, PlaneWords &words) {
  mark_chain(board, chain, bit_of(plane), words);
  board.for_each_stone(chain, [&](int p) {
    for (int q : board.neighbours(p))
      if (board.at(q) == opponent(board.at(p)) && (words[q] & bit_of(plane + 1)) == 0)
        mark_chain(board, board.chain_at(q), bit_of(plane + 1), words);
  });
}

// Liberties and ladders, chain by chain.
void mark_chains(Board &board, PlaneWords &words) {
  LadderReader reader(board);
  for (int p = 0; p < kMaxPoints; ++p) {
    if (board.at(p) == kEmpty || board.chain_at(p) != p) continue;
    const int num_liberties = board.liberties(p).size();
    if (num_liberties == 0) continue;  // no legal position, but a damaged file can ask for it
    mark_chain(board, p, bit_of(kLibertiesPlane + std::min(num_liberties, 6) - 1), words);
    if (num_liberties == 1 && reader.is_lost(p)) mark_ladder(board, p, kLostPlane, words);
    if (num_liberties == 2 && reader.can_be_caught(p)) mark_ladder(board, p, kCatchablePlane, words);
  }
}

// One colour's stones now and before. Most of them lay there all the time and are marked once.
void mark_history(const PlanesInput &input, Colour colour, int first_plane, PlaneWords &words) {
  PointSet lasting = input.recent[0].of(colour);
  uint32_t all_bits = 0;
  for (int ago = 0; ago < Position::kHistory; ++ago) {
    lasting &= input.recent[ago].of(colour);
    all_bits |= bit_of(first_plane + 2 * ago);
  }
  mark(lasting, all_bits, words);
  for (int ago = 0; ago < Position::kHistory; ++ago)
    mark(input.recent[ago].of(colour) - lasting, bit_of(first_plane + 2 * ago), words);
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
  PlaneWords words{};
  mark_chains(input.board, words);
  mark_history(input, input.to_play, kStonesPlane, words);
  mark_history(input, opponent(input.to_play), kStonesPlane + 1, words);
  const bool has_komi_plane = input.komi >= 0 && input.komi < kNumKomiPlanes;
  const int komi = has_komi_plane ? static_cast<int>(input.komi) : 0;
  mark_everywhere((input.to_play == kBlack ? bit_of(kBlackToPlayPlane) : 0) |
                      (has_komi_plane ? bit_of(kKomiPlane + komi) : 0),
                  words);
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
