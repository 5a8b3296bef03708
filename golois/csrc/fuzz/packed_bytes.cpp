#include "packed_bytes.hpp"

#include <algorithm>

#include "data/dataset.hpp"
#include "kit/error.hpp"
#include "planes/features.hpp"
#include "planes/zero_planes.hpp"

namespace golois {

namespace {

constexpr int64_t kMaxRows = 64;

void read_moves(const PackedFile &file, uint64_t index) {
  const PackedGame game = file.game(index);
  int num_white_moves = 0;
  for (int i = 0; i < game.num_moves(); ++i)
    num_white_moves += game.colour(i) == kWhite && game.is_training_position(i);
  if (num_white_moves > game.num_moves()) throw Error("more moves than there are");
}

// Exactly the room of one row, so that the sanitisers find what is written beyond it.
struct RowMemory {
  std::vector<float> planes, policy, value_white, ownership, groups, ownership_known, area, reply,
      played, owners, owners_known, later_values, surprise;
  PlaneSet plane_set;

  RowMemory(const GameType &type, PlaneSet set, int num_planes)
      : planes(type.num_points() * num_planes),
        policy(type.policy_size()),
        value_white(1),
        ownership(2 * type.num_points()),
        groups(type.num_points()),
        ownership_known(1),
        area(type.num_points()),
        reply(type.policy_size()),
        played(type.policy_size()),
        owners(type.num_points()),
        owners_known(1),
        later_values(3),
        surprise(2),
        plane_set(set) {}

  RowBuffers buffers() {
    return {planes.data(), PlanesFormat::kFloat32, plane_set,        0.5f,
            policy.data(), value_white.data(),     ownership.data(), true,
            groups.data(), ownership_known.data(), area.data(),      reply.data(),
            played.data(), owners.data(),          owners_known.data(),
            later_values.data(), surprise.data()};
  }
};

// Room for each set of planes that the game has.
std::vector<RowMemory> memories(const GameType &type) {
  switch (type.kind) {
    case GameKind::kGo:
      return {{type, PlaneSet::kCourse, kNumPlanes}, {type, PlaneSet::kZero, kNumZeroPlanes}};
    case GameKind::kNoGo:
      return {{type, PlaneSet::kNoGo, kNumNoGoPlanes}, {type, PlaneSet::kZero, kNumZeroPlanes}};
    default: return {{type, PlaneSet::kHex, kNumHexPlanes}};
  }
}

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
    for (uint64_t game = 0; game < file.num_games(); ++game)
      survive([&] { read_moves(file, game); });
    std::vector<uint8_t> is_validation(file.num_games());
    for (size_t game = 1; game < is_validation.size(); game += 2) is_validation[game] = 1;
    const Dataset dataset(file, is_validation.data(), static_cast<int64_t>(is_validation.size()));
    std::vector<RowMemory> of_plane_sets = memories(file.type());
    for (const bool validation : {false, true}) {
      const auto num_positions = static_cast<int64_t>(dataset.split(validation).num_positions());
      const int64_t step = std::max<int64_t>(1, num_positions / kMaxRows);
      for (int64_t row = 0; row < num_positions; row += step)
        for (RowMemory &memory : of_plane_sets)
          survive([&] { fill_row(dataset, validation, row, memory); });
    }
  });
}

}  // namespace golois
