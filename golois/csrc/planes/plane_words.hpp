// Planes of 0 and 1, which the networks see: computed as one word of bits per point, written in the
// requested layout.
#pragma once

#include <array>
#include <cstdint>

#include "go/symmetry.hpp"

namespace golois {

constexpr uint32_t plane_bit(int plane) { return uint32_t{1} << (31 - plane); }

// The planes of every point, plane 0 in the highest bit.
using PlaneWords = std::array<uint32_t, kMaxPoints>;

// How many planes a network sees of a board, at least kMinPlanes.
struct PlanesShape {
  static constexpr int kMinPlanes = 4, kMaxPlanes = 32;

  int size, num_planes;

  int num_points() const { return size * size; }
  int num_numbers() const { return num_points() * num_planes; }
  int num_bytes() const { return (num_numbers() + 7) / 8; }
};

// Each writes the planes as symmetry 0 … 7 shows the board, in the order [row][column][plane].
// num_numbers() of 0 and 1
void write_planes(const PlaneWords &words, PlanesShape shape, int symmetry, float *planes);
// num_numbers() of 0 and 1
void write_planes(const PlaneWords &words, PlanesShape shape, int symmetry, uint8_t *planes);
// num_bytes(), highest bit first
void write_packed_planes(const PlaneWords &words, PlanesShape shape, int symmetry, uint8_t *bytes);

}  // namespace golois
