#include "packed_bytes.hpp"

#include <algorithm>

#include "../dataset.hpp"
#include "../error.hpp"
#include "../features.hpp"

namespace golois {

namespace {

constexpr int64_t kMaxRows = 64;

void read_moves(const PackedFile &file, uint64_t index) {
  const PackedGame game = file.game(index);
  int num_white_moves = 0;
  for (int i = 0; i < game.num_moves(); ++i) num_white_moves += game.colour(i) == kWhite && game.is_training_position(i);
  if (num_white_moves > game.num_moves()) throw Error("more moves than there are");
}

// Room for one row.
struct RowMemory {
  std::vector<float> planes = std::vector<float>(kPlanes19.num_numbers()), policy = std::vector<float>(kMaxPoints),
                     value_white = std::vector<float>(1), ownership = std::vector<float>(2 * kMaxPoints),
                     groups = std::vector<float>(kMaxPoints), ownership_known = std::vector<float>(1),
                     area = std::vector<float>(kMaxPoints), reply = std::vector<float>(kMaxPoints),
                     played = std::vector<float>(kMaxPoints);

  RowBuffers buffers() {
    return {planes.data(), PlanesFormat::kFloat32, policy.data(), value_white.data(),
            ownership.data(), true, groups.data(), ownership_known.data(), area.data(), reply.data(), played.data()};
  }
};

void fill_row(const Dataset &dataset, bool validation, int64_t position, RowMemory &memory) {
  const auto symmetry = static_cast<uint8_t>(position);
  dataset.fill({validation, &position, &symmetry, 1}, memory.buffers(), 1);
}

template <typename Read>
void survive(Read read) {
  try {
    read();
  } catch (const Error &) {  // refused in words, as it should be
  }
}

}  // namespace

void read_all(PackedBytes &bytes) {
  survive([&] {
    const PackedFile file = bytes.open();
    for (uint64_t game = 0; game < file.num_games(); ++game) survive([&] { read_moves(file, game); });
    std::vector<uint8_t> is_validation(file.num_games());
    for (size_t game = 1; game < is_validation.size(); game += 2) is_validation[game] = 1;
    const Dataset dataset(file, is_validation.data(), static_cast<int64_t>(is_validation.size()));
    RowMemory memory;
    for (const bool validation : {false, true}) {
      const auto num_positions = static_cast<int64_t>(dataset.split(validation).num_positions());
      const int64_t step = std::max<int64_t>(1, num_positions / kMaxRows);
      for (int64_t row = 0; row < num_positions; row += step) survive([&] { fill_row(dataset, validation, row, memory); });
    }
  });
}

}  // namespace golois
