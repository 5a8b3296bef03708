#include "go/ladder_memory.hpp"

namespace golois {

LadderMemory::LadderMemory(Board &board, LadderReadings before, const PointSet &changed,
                           std::vector<LadderReading> &readings)
    : reader_(board), readings_(readings) {
  readings_.clear();
  for (const LadderReading &reading : before) {
    if (reading.footprint.meets(changed)) continue;
    readings_.push_back(reading);
    const int chain = board.chain_at(reading.stone);
    known_.insert(chain);
    if (reading.is_caught) caught_.insert(chain);
  }
}

bool LadderMemory::is_caught(int chain) {
  if (known_.contains(chain)) return caught_.contains(chain);
  const bool is_caught = reader_.is_caught(chain);
  readings_.push_back({reader_.footprint(), static_cast<Point>(chain), is_caught});
  return is_caught;
}

}  // namespace golois
