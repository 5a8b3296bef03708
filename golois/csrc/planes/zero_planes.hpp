// The planes of systems that learn from games with themselves (docs/student/selfplay.md has the
// tables); any board size.
#pragma once

#include "planes/history_planes.hpp"

namespace golois {

constexpr int kNumZeroStates = 8;  // the present and seven before it

using ZeroPast = Past<kNumZeroStates>;

// Own and opponent's stones in eight states, Black to move, White to move.
//
// Source: MiniZero's Go, as ResTNet trains it (Wu et al., "MiniZero", 2023).
constexpr int kNumZeroPlanes = 2 * kNumZeroStates + 2;
PlaneWords zero_plane_words(int size, const ZeroPast &past, Colour to_play);

// Own and opponent's stones in eight states, Black to move; the liberties of own chains with one
// liberty, of those with two, of the opponent's with one, with two. The board has the present
// stones.
//
// Source: Gao and Wu, NoGoZero+, 2021, section 3.2.4; the states are those of AlphaGo Zero.
constexpr int kNumNoGoPlanes = 2 * kNumZeroStates + 5;
PlaneWords nogo_plane_words(const Board &board, const ZeroPast &past, Colour to_play);

// Own stones, the opponent's, Black to move, White to move.
//
// Source: MiniZero's Hex.
constexpr int kNumHexPlanes = 4;
PlaneWords hex_plane_words(int size, const PointSet &own, const PointSet &theirs, Colour to_play);

}  // namespace golois
