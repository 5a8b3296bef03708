// Training rows from a packed file: the planes and targets of numbered positions.
#pragma once

#include <cstdint>
#include <vector>

#include "go/board.hpp"
#include "records/record.hpp"

namespace golois {

// The games of one side of a train/validation split, with their positions numbered 0 …
// num_positions−1.
class Split {
 public:
  struct Location {
    uint32_t game;
    uint32_t position;  // which of the game's training positions
  };

  void add(uint32_t game, uint32_t num_positions);
  uint64_t num_games() const { return games_.size(); }
  uint64_t num_positions() const { return ends_.empty() ? 0 : ends_.back(); }

  // Throws Error if there is no such position.
  Location locate(int64_t position) const;

 private:
  std::vector<uint32_t> games_;
  std::vector<uint64_t> ends_;  // number of positions up to and with each game
};

// Which rows to write: row k is position positions[k] of the split as symmetry symmetries[k] shows
// it.
struct Rows {
  bool validation;
  const int64_t *positions;
  const uint8_t *symmetries;
  int64_t count;
};

// How planes are written: as numbers [n, size, size, planes], or as bits [n, ⌈size · size · planes
// / 8⌉], highest first, in the same order.
enum class PlanesFormat : int32_t { kFloat32, kUint8, kBits };

// Which planes: of any Go board kCourse and kZero, of NoGo kNoGo and kZero, of Hex kHex.
enum class PlaneSet : int32_t { kCourse, kZero, kNoGo, kHex };

// Where rows go, in C order: float32 but for the planes. Any but the planes may be null. `moves` is
// the size of the policy.
struct RowBuffers {
  void *planes;
  PlanesFormat planes_format;
  PlaneSet plane_set;
  // of the game's result in value_white, 0 … 1; the rest is what the file says of the position
  float result_share;
  float *policy;       // [n, moves], of the target, else one-hot of the move played
  float *value_white;  // [n], P(White wins) before the move
  float *ownership;    // [n, size, size, 2], the game's last stones: side to move, opponent
  bool all_ownership;  // also of games that were not played out; else their rows are zero
  float *groups;       // [n, size, size, 1], 0 or 1 + a number of the chain
  float *ownership_known;  // [n], 1 where the game was played out, else 0
  // [n, size, size], in the end 1 and −1 where the side to move and its opponent own the point
  float *area;
  // [n, moves], one-hot of the opponent's next move; zero where the policy has none
  float *reply;
  float *played;           // [n, moves], one-hot of the move played
  // [n, size, size], a teacher's ownership, −1 … 1 in the view of area; else area
  float *owners;
  float *owners_known;     // [n], 1 where either is known, else 0
  float *later_values;     // [n, 3], see Later
  float *surprise;         // [n, 2]
};

class Dataset {
 public:
  // The file must outlive it; is_validation has an entry for each of its games.
  Dataset(const PackedFile &file, const uint8_t *is_validation, int64_t num_games);

  const Split &split(bool validation) const { return validation ? validation_ : train_; }

  // Rows are divided among threads; the output doesn't depend on their number.
  void fill(const Rows &rows, const RowBuffers &buffers, int num_threads) const;

 private:
  void fill_row(const Rows &rows, int64_t row, const RowBuffers &buffers, Board &board) const;

  const PackedFile &file_;
  Split train_, validation_;
};

}  // namespace golois
