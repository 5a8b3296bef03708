#include "importing/tally.hpp"

namespace golois {

void Tally::add(const std::string &reason, const std::string &cause, const std::string &example) {
  auto found = index_of_.find({reason, cause});
  if (found == index_of_.end()) {
    const bool is_other = num_causes_[reason] >= kMaxCauses;
    found = index_of_.emplace(std::pair(reason, is_other ? kOthers : cause), entries_.size()).first;
    if (found->second == entries_.size()) {
      ++num_causes_[reason];
      entries_.push_back({reason, found->first.second, example, 0});
    }
  }
  ++entries_[found->second].num_games;
}

}  // namespace golois
