#include "planes/features.hpp"

#include <algorithm>

namespace golois {

namespace {

// The bits that all stones of a chain share, at its name; none at kNoChain.
using ChainBits = std::array<uint32_t, kMaxPoints + 1>;

// Ladders that are known: of each chain that is caught, a stone.
class MarkedChains {
 public:
  MarkedChains(const Board &board, const PointSet &marked_stones) {
    marked_stones.for_each([&](int p) { caught_.insert(board.chain_at(p)); });
  }
  bool is_caught(int chain) const { return caught_.contains(chain); }

 private:
  PointSet caught_;  // by name; kNoChain too, where a damaged file marks an empty point
};

// Marks a chain in `plane`, and the enemy chains beside it in the next plane.
void mark_ladder(const Board &board, int chain, int plane, ChainBits &bits) {
  bits[chain] |= plane_bit(plane);
  board.for_each_stone(chain, [&](int p) {
    for (int q : board.neighbours(p))
      if (board.at(q) == opponent(board.at(p))) bits[board.chain_at(q)] |= plane_bit(plane + 1);
  });
}

// Liberties, and what `reader`, a LadderReader, LadderMemory or MarkedChains, says of chains with
// one liberty or two.
template <typename Reader>
ChainBits chain_bits(const Board &board, Reader &reader) {
  ChainBits bits{};
  board.for_each_chain([&](int chain) {
    const int num_liberties = board.num_liberties(chain);
    if (num_liberties == 0) return;  // not a legal position, but a damaged file can contain it
    bits[chain] |= plane_bit(kLibertiesPlane + std::min(num_liberties, 6) - 1);
    if (num_liberties <= 2 && reader.is_caught(chain))
      mark_ladder(board, chain, num_liberties == 1 ? kLostPlane : kCatchablePlane, bits);
  });
  return bits;
}

PlaneWords plane_words_of(const PlanesInput &input, const ChainBits &of_chain) {
  const bool has_komi_plane = input.komi >= 0 && input.komi < kNumKomiPlanes;
  const int komi = has_komi_plane ? static_cast<int>(input.komi) : 0;
  const uint32_t everywhere = (input.to_play == kBlack ? plane_bit(kBlackToPlayPlane) : 0) |
                              (has_komi_plane ? plane_bit(kKomiPlane + komi) : 0);
  std::array<uint32_t, kWhite + 1> of_colour{};
  of_colour[input.to_play] = history_bits(kStonesPlane, kNumStates);
  of_colour[opponent(input.to_play)] = history_bits(kStonesPlane + 1, kNumStates);

  PlaneWords words;
  std::fill_n(words.begin(), input.board.num_points(), everywhere);
  for (Colour colour : {kBlack, kWhite})
    input.board.stones(colour).for_each(
        [&](int p) { words[p] |= of_colour[colour] | of_chain[input.board.chain_at(p)]; });
  correct_history(input.past, input.to_play, kStonesPlane, words);
  correct_history(input.past, opponent(input.to_play), kStonesPlane + 1, words);
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

PlaneWords plane_words(const PlanesInput &input, const PointSet &marked_stones) {
  MarkedChains ladders(input.board, marked_stones);
  return plane_words_of(input, chain_bits(input.board, ladders));
}

}  // namespace golois
