// Why a game of a source is not imported.
#pragma once

#include <array>
#include <string>

#include "error.hpp"

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

class Dropped : public Error {
 public:
  Dropped(DropReason reason, const std::string &text) : Error(text), reason_(reason) {}
  DropReason reason() const { return reason_; }

 private:
  DropReason reason_;
};

}  // namespace golois
