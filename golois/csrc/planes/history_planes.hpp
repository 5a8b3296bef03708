// The stones now and before as planes: own and opponent's, then the same one move ago, and so on.
#pragma once

#include <array>
#include <cstddef>

#include "go/position.hpp"
#include "planes/plane_words.hpp"

namespace golois {

// The states that planes show: [0] the present, [t] t moves ago; empty where there was none.
template <std::size_t num_states>
using Past = std::array<Stones, num_states>;

// The planes of one colour's stones now and before; those of the other colour begin at the next
// plane.
constexpr uint32_t history_bits(int first_plane, int num_states) {
  uint32_t bits = 0;
  for (int ago = 0; ago < num_states; ++ago) bits |= plane_bit(first_plane + 2 * ago);
  return bits;
}

// Corrects planes that show one colour's present stones at all times: few stones change in a few
// moves.
template <std::size_t num_states>
void correct_history(const Past<num_states> &past, Colour colour, int first_plane,
                     PlaneWords &words) {
  for (std::size_t ago = 1; ago < num_states; ++ago) {
    PointSet changed = past[ago].of(colour);
    changed ^= past[0].of(colour);
    changed.for_each(
        [&](int p) { words[p] ^= plane_bit(first_plane + 2 * static_cast<int>(ago)); });
  }
}

}  // namespace golois
