// The planes of systems that learn from games with themselves (docs/games.md has the tables); any board size.
#pragma once

#include "plane_words.hpp"
#include "position.hpp"

namespace golois {

constexpr int kNumZeroStates = 8;  // the present and seven before it

// Own and opponent's stones in eight states, Black to move, White to move.
//
// Source: MiniZero's Go, as ResTNet trains it (Wu et al., "MiniZero", 2023).
constexpr int kNumZeroPlanes = 2 * kNumZeroStates + 2;
PlaneWords zero_plane_words(const Position &position);

// Own and opponent's stones in eight states, Black to move; the liberties of own chains with one liberty, of those with two,
// of the opponent's with one, with two.
//
// Source: Gao and Wu, NoGoZero+, 2021, section 3.2.4; the states are those of AlphaGo Zero.
constexpr int kNumNoGoPlanes = 2 * kNumZeroStates + 5;
PlaneWords nogo_plane_words(const Position &position);

}  // namespace golois
