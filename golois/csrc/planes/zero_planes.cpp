#include "planes/zero_planes.hpp"

#include <algorithm>

namespace golois {

namespace {

constexpr int kStonesPlane = 0;  // own, opponent's; then the same 1 … 7 moves ago
constexpr int kBlackToPlayPlane = 2 * kNumZeroStates, kWhiteToPlayPlane = kBlackToPlayPlane + 1;
// of own chains with 1, 2; of the opponent's with 1, 2
constexpr int kLibertiesPlane = kBlackToPlayPlane + 1;

PlaneWords history_words(int size, const ZeroPast &past, Colour own, uint32_t everywhere) {
  PlaneWords words;
  std::fill_n(words.begin(), size * size, everywhere);
  for (int i = 0; i < 2; ++i) {
    const Colour colour = i == 0 ? own : opponent(own);
    const uint32_t bits = history_bits(kStonesPlane + i, kNumZeroStates);
    past[0].of(colour).for_each([&](int p) { words[p] |= bits; });
    correct_history(past, colour, kStonesPlane + i, words);
  }
  return words;
}

}  // namespace

PlaneWords zero_plane_words(int size, const ZeroPast &past, Colour to_play) {
  return history_words(size, past, to_play,
                       plane_bit(to_play == kBlack ? kBlackToPlayPlane : kWhiteToPlayPlane));
}

PlaneWords nogo_plane_words(const Board &board, const ZeroPast &past, Colour to_play) {
  PlaneWords words = history_words(board.size(), past, to_play,
                                   to_play == kBlack ? plane_bit(kBlackToPlayPlane) : 0);
  board.for_each_chain([&](int chain) {
    const int num_liberties = board.num_liberties(chain);
    if (num_liberties > 2) return;
    const int plane = kLibertiesPlane + (board.at(chain) == to_play ? 0 : 2) + num_liberties - 1;
    board.liberties(chain).for_each([&](int p) { words[p] |= plane_bit(plane); });
  });
  return words;
}

PlaneWords hex_plane_words(int size, const PointSet &own, const PointSet &theirs, Colour to_play) {
  PlaneWords words;
  std::fill_n(words.begin(), size * size, plane_bit(to_play == kBlack ? 2 : 3));
  own.for_each([&](int p) { words[p] |= plane_bit(0); });
  theirs.for_each([&](int p) { words[p] |= plane_bit(1); });
  return words;
}

}  // namespace golois
