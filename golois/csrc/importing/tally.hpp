// How many games something happened to, why, and one of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace golois {

struct TallyEntry {
  std::string reason, cause;
  std::string example;  // the first game's
  uint64_t num_games = 0;
};

// Counts by reason and cause, in the order of their first games. Causes are whatever stands in
// files: beyond 50 of a reason, further ones count together.
class Tally {
 public:
  static constexpr size_t kMaxCauses = 50;
  static constexpr const char *kOthers = "others";

  void add(const std::string &reason, const std::string &cause, const std::string &example);
  const std::vector<TallyEntry> &entries() const { return entries_; }

 private:
  std::vector<TallyEntry> entries_;
  std::map<std::pair<std::string, std::string>, size_t> index_of_;
  std::map<std::string, size_t> num_causes_;
};

}  // namespace golois
