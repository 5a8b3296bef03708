// Imports games from streams of bytes: cuts, reads, replays and packs them, and counts what it
// drops.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importing/analysis.hpp"
#include "importing/seen_games.hpp"
#include "importing/splitter.hpp"
#include "importing/tally.hpp"
#include "records/drop.hpp"
#include "records/packer.hpp"

namespace golois {

// Which games are wanted of those that can be read.
struct GameFilter {
  bool drops_duplicates = false;  // with the moves of an earlier game, turned or not
  bool drops_handicap = false;  // with handicap or set-up stones in SGF
  // of both players, if given; then a game without a rank is dropped
  int lowest_rank = kNoRank, highest_rank = kNoRank;
};

class Importer {
 public:
  static constexpr size_t kMaxReports = 10;

  // The output does not depend on the number of threads.
  Importer(const GameFilter &filter, int num_threads)
      : filter_(filter), num_threads_(num_threads) {}

  // For streams of queries and answers of KataGo's analysis engine; see read_analysis_line.
  Importer(const AnalysisOptions &options, int num_threads) : Importer(GameFilter{}, num_threads) {
    analysis_options_ = options;
    analysis_.emplace();
  }

  // Starts a stream of SGF or games.data. `location` is for reports of drops; `source` becomes the
  // source of games that name none.
  void begin_source(const std::string &location, const std::string &source);
  // Takes the next bytes of the stream, which may end anywhere. Nothing in them is an error: bad
  // games are counted.
  void feed(std::string_view bytes);
  // Ends the stream; with a fault, one more drop says why it could not be read to its end.
  void end_source(const std::string &fault);
  // Packs the games that waited for all streams to end: those of queries.
  void finish();

  Packer &packer() { return packer_; }
  const Packer &packer() const { return packer_; }
  uint64_t num_dropped(DropReason reason) const {
    return num_dropped_[static_cast<size_t>(reason)];
  }
  // The first drops, as "location:line: reason: why".
  const std::vector<std::string> &reports() const { return reports_; }
  // All drops by reason and cause, with the report of each first one.
  const std::vector<TallyEntry> &drops() const { return drops_.entries(); }
  // What was taken to be meant in the games that are packed, with the location of each first one.
  const std::vector<TallyEntry> &assumptions() const { return assumptions_.entries(); }

 private:
  // A game that was read: packed, or why not.
  struct Outcome {
    PackedRecord packed;
    uint64_t key = 0;  // only where duplicates are dropped
    AnalysisLine line;  // read instead of a game
    bool is_dropped = false;
    DropReason reason{};
    std::string why, cause;
    std::vector<std::string> assumptions;
  };

  void choose_splitter(bool is_all);
  void drop_empty();
  void take_games();
  bool find_slices();
  Outcome read(std::string_view text, RecordedGame &game) const;
  void require_wanted(const RecordedGame &game, bool is_sgf) const;
  void read_game(std::string_view text, RecordedGame &game, Outcome &outcome) const;
  void take(Outcome &outcome, size_t line);
  void take_line(AnalysisLine &line, size_t number);
  void drop(size_t line, DropReason reason, const std::string &why, const std::string &cause);
  std::string place(size_t line) const { return location_ + ":" + std::to_string(line); }

  const GameFilter filter_;
  const int num_threads_;
  KeySet seen_;
  Packer packer_;
  std::optional<Analysis> analysis_;
  AnalysisOptions analysis_options_{};
  std::unique_ptr<Splitter> splitter_;
  std::vector<Slice> slices_;
  std::string location_, source_, first_bytes_;
  bool has_games_ = false, is_json_ = false;
  std::array<uint64_t, kDropReasonNames.size()> num_dropped_{};
  std::vector<std::string> reports_;
  Tally drops_, assumptions_;
};

}  // namespace golois
