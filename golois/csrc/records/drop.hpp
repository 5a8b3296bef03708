// Why a game of a source is not imported.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "kit/error.hpp"

namespace golois {

enum class DropReason {
  kMalformed,
  kNotGo,
  kBoardSize,
  kKomi,
  kNoResult,
  kIllegalMove,
  kNoPositions,
  kTooLong,
  kUnreadable,
  kDuplicate,
  kNoQuery,
  kRefused,
  kRank,
  kHandicap,
};

constexpr std::array<const char *, 14> kDropReasonNames = {
    "malformed", "not Go",      "board size", "komi",          "no result",
    "illegal move", "no positions", "too long", "unreadable source",
    "duplicate",    "no such query", "refused by the engine",
    "rank",         "handicap",
};

// A source's text as a sentence shows it: one line of at most so many bytes, cut between
// characters.
std::string shown(std::string_view text, size_t max_bytes = 60);

class Dropped : public Error {
 public:
  // Games of the same reason and cause are counted together; the cause is the text where that names
  // nothing of one game alone.
  Dropped(DropReason reason, const std::string &text, const std::string &cause = "")
      : Error(text), reason_(reason), cause_(cause.empty() ? text : cause) {}
  DropReason reason() const { return reason_; }
  const std::string &cause() const { return cause_; }

 private:
  DropReason reason_;
  std::string cause_;
};

}  // namespace golois
