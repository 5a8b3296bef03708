// The C surface of Dataset.
#include "abi/golois.h"
#include "abi/handles.hpp"
#include "abi/status.hpp"
#include "data/dataset.hpp"

struct golois_dataset {
  golois::Dataset dataset;
};

golois_dataset *golois_dataset_create(const golois_packed_file *file,
                                      const uint8_t *is_validation, int64_t num_games) {
  golois_dataset *handle = nullptr;
  const int32_t status = golois::guarded([&] {
    handle = new golois_dataset{golois::Dataset(file->file, is_validation, num_games)};
  });
  return status == golois::kOk ? handle : nullptr;
}

void golois_dataset_destroy(golois_dataset *dataset) { delete dataset; }

int64_t golois_dataset_num_games(const golois_dataset *dataset, bool validation) {
  return static_cast<int64_t>(dataset->dataset.split(validation).num_games());
}

int64_t golois_dataset_num_positions(const golois_dataset *dataset, bool validation) {
  return static_cast<int64_t>(dataset->dataset.split(validation).num_positions());
}

int32_t golois_dataset_fill(const golois_dataset *dataset, bool validation,
                            const int64_t *positions, const uint8_t *symmetries, int64_t num_rows,
                            void *planes, int32_t planes_format, int32_t plane_set, float *policy,
                            float *value_white, float result_share, float *ownership,
                            bool all_ownership, float *groups, float *ownership_known, float *area,
                            float *reply, float *played, float *owners, float *owners_known,
                            float *later_values, float *surprise, int32_t num_threads) {
  return golois::guarded([&] {
    const auto format = static_cast<golois::PlanesFormat>(planes_format);
    dataset->dataset.fill(
        {validation, positions, symmetries, num_rows},
        {planes, format, static_cast<golois::PlaneSet>(plane_set), result_share, policy,
         value_white, ownership, all_ownership, groups, ownership_known, area, reply, played,
         owners, owners_known, later_values, surprise},
        num_threads);
  });
}
