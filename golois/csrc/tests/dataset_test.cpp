#include "data/dataset.hpp"

#include <thread>
#include <vector>

#include "check.hpp"
#include "fuzz/packed_bytes.hpp"
#include "games.hpp"
#include "kit/error.hpp"
#include "planes/features.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

constexpr int64_t kNumRows = 48;

PackedBytes packed_games() {
  Packer packer;
  for (uint64_t seed = 0; seed < 4; ++seed)
    packer.add(pack(seed % 2 ? random_labelled_game(seed, 120) : random_game(seed, 120)));
  return PackedBytes(file_bytes(packer));
}

struct Batch {
  std::vector<float> planes, policy, value_white, ownership, groups, ownership_known, area, reply,
      played, owners, owners_known, later_values, surprise;

  Batch()
      : planes(kNumRows * kPlanes19.num_numbers()),
        policy(kNumRows * kMaxPoints),
        value_white(kNumRows),
        ownership(kNumRows * 2 * kMaxPoints),
        groups(kNumRows * kMaxPoints),
        ownership_known(kNumRows),
        area(kNumRows * kMaxPoints),
        reply(kNumRows * kMaxPoints),
        played(kNumRows * kMaxPoints),
        owners(kNumRows * kMaxPoints),
        owners_known(kNumRows),
        later_values(kNumRows * 3),
        surprise(kNumRows * 2) {}

  RowBuffers buffers() {
    return {planes.data(), PlanesFormat::kFloat32, PlaneSet::kCourse, 0.0f,
            policy.data(), value_white.data(),     ownership.data(),  true,
            groups.data(), ownership_known.data(), area.data(),       reply.data(),
            played.data(), owners.data(),          owners_known.data(),
            later_values.data(), surprise.data()};
  }
  bool operator==(const Batch &other) const {
    return planes == other.planes && policy == other.policy && value_white == other.value_white &&
           ownership == other.ownership && groups == other.groups &&
           ownership_known == other.ownership_known && area == other.area && reply == other.reply &&
           played == other.played && owners == other.owners && owners_known == other.owners_known;
  }
};

Batch filled(const Dataset &dataset, int num_threads) {
  std::vector<int64_t> positions(kNumRows);
  std::vector<uint8_t> symmetries(kNumRows);
  for (int64_t row = 0; row < kNumRows; ++row) {
    positions[row] = row * 7 % static_cast<int64_t>(dataset.split(false).num_positions());
    symmetries[row] = static_cast<uint8_t>(row % kNumSymmetries);
  }
  Batch batch;
  dataset.fill({false, positions.data(), symmetries.data(), kNumRows}, batch.buffers(),
               num_threads);
  return batch;
}

}  // namespace

TEST(batches_do_not_depend_on_the_number_of_threads) {
  PackedBytes bytes = packed_games();
  const PackedFile file = bytes.open();
  const uint8_t is_validation[4] = {0, 0, 1, 0};
  const Dataset dataset(file, is_validation, 4);
  const Batch expected = filled(dataset, 1);
  for (int num_threads : {2, 3, 100}) CHECK(filled(dataset, num_threads) == expected);
}

TEST(threads_may_share_a_dataset) {
  PackedBytes bytes = packed_games();
  const PackedFile file = bytes.open();
  const uint8_t is_validation[4] = {};
  const Dataset dataset(file, is_validation, 4);
  const Batch expected = filled(dataset, 1);
  std::vector<Batch> batches(4);
  std::vector<std::thread> threads;
  for (Batch &batch : batches) threads.emplace_back([&] { batch = filled(dataset, 2); });
  for (std::thread &thread : threads) thread.join();
  for (const Batch &batch : batches) CHECK(batch == expected);
}

TEST(every_position_has_its_place) {
  PackedBytes bytes = packed_games();
  const PackedFile file = bytes.open();
  const uint8_t is_validation[4] = {0, 1, 0, 1};
  const Dataset dataset(file, is_validation, 4);
  CHECK(dataset.split(false).num_games() == 2 && dataset.split(true).num_games() == 2);
  const uint64_t total = dataset.split(false).num_positions() + dataset.split(true).num_positions();
  CHECK(total == file.num_positions());
  const int64_t num_first = file.row(0).num_positions;
  CHECK(dataset.split(false).locate(num_first - 1).game == 0);
  CHECK(dataset.split(false).locate(num_first).game == 2 &&
        dataset.split(false).locate(num_first).position == 0);
}

TEST(positions_that_are_not_there_are_refused) {
  PackedBytes bytes = packed_games();
  const PackedFile file = bytes.open();
  const uint8_t is_validation[4] = {};
  const Dataset dataset(file, is_validation, 4);
  const auto num_positions = static_cast<int64_t>(dataset.split(false).num_positions());
  for (int64_t position : {num_positions, int64_t{-1}, INT64_MIN, INT64_MAX})
    CHECK(throws<Error>("there is no position", [&] { dataset.split(false).locate(position); }));
  CHECK(throws<Error>("the split must be of 4", [&] { Dataset(file, is_validation, 3); }));
}
