#include "importing/importer.hpp"

#include <algorithm>

#include "importing/games_text.hpp"
#include "importing/sgf.hpp"
#include "kit/share_out.hpp"

namespace golois {

namespace {

constexpr const char *kSeen =
    "the moves of an earlier game, turned or not, which --dedupe leaves out";
constexpr const char *kNoGames = "there are no games in SGF or games.data";
constexpr const char *kNeedsAnalysis =
    "there are no games in SGF or games.data: lines of JSON are read with --analysis";
constexpr const char *kNoLines = "there are no queries or answers in JSON lines";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

void Importer::begin_source(const std::string &location, const std::string &source) {
  location_ = location;
  source_ = source;
  splitter_.reset();
  first_bytes_.clear();
  has_games_ = false;
}

void Importer::feed(std::string_view bytes) {
  if (splitter_) {
    splitter_->feed(bytes);
  } else {
    first_bytes_.append(bytes);
    choose_splitter(false);
  }
  take_games();
}

void Importer::end_source(const std::string &fault) {
  if (!splitter_) choose_splitter(true);
  splitter_->finish();
  take_games();
  if (!fault.empty())
    drop(splitter_->line(), DropReason::kUnreadable, fault, fault);
  else if (!has_games_)
    drop_empty();
  splitter_.reset();
}

void Importer::drop_empty() {
  const char *why = analysis_ ? kNoLines : is_json_ ? kNeedsAnalysis : kNoGames;
  drop(splitter_->line(), DropReason::kMalformed, why, why);
}

void Importer::choose_splitter(bool is_all) {
  std::string_view bytes = first_bytes_;
  if (bytes.size() < kByteOrderMark.size() && !is_all) return;
  if (bytes.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    bytes.remove_prefix(kByteOrderMark.size());
  is_json_ = !bytes.empty() && bytes[0] == '{';
  splitter_ = analysis_ ? std::unique_ptr<Splitter>(std::make_unique<LineSplitter>())
                        : make_splitter(bytes, is_all);
  if (!splitter_) return;
  splitter_->feed(bytes);
  first_bytes_.clear();
}

void Importer::take_games() {
  while (find_slices()) {
    std::vector<Outcome> outcomes(slices_.size());
    share_out(static_cast<int64_t>(slices_.size()), num_threads_, [&](int64_t begin, int64_t end) {
      RecordedGame game;
      for (int64_t i = begin; i < end; ++i) outcomes[i] = read(slices_[i].text, game);
    });
    for (size_t i = 0; i < slices_.size(); ++i) take(outcomes[i], slices_[i].line);
  }
}

// The next games of the received bytes: few enough for their results to stay in the cache.
bool Importer::find_slices() {
  constexpr size_t kMaxSlices = 512;
  slices_.clear();
  Slice slice;
  while (splitter_ && slices_.size() < kMaxSlices && splitter_->next(slice))
    slices_.push_back(slice);
  has_games_ |= !slices_.empty();
  return !slices_.empty();
}

Importer::Outcome Importer::read(std::string_view text, RecordedGame &game) const {
  Outcome outcome;
  try {
    if (analysis_)
      outcome.line = read_analysis_line(text, analysis_options_);
    else
      read_game(text, game, outcome);
  } catch (const Dropped &dropped) {
    outcome.is_dropped = true;
    outcome.reason = dropped.reason();
    outcome.why = dropped.what();
    outcome.cause = dropped.cause();
  }
  return outcome;
}

void Importer::read_game(std::string_view text, RecordedGame &game, Outcome &outcome) const {
  const bool is_sgf = text.substr(0, 1) == "(";
  if (is_sgf)
    parse_sgf(text, game);
  else
    parse_games_text(text, game);
  require_wanted(game, is_sgf);
  if (game.source.empty()) game.source = source_;
  complete(game);
  outcome.packed = pack(game);
  outcome.assumptions = std::move(game.assumptions);
  if (filter_.drops_duplicates) outcome.key = symmetric_key(game.moves);
}

void Importer::require_wanted(const RecordedGame &game, bool is_sgf) const {
  const auto require_rank = [&](const std::string &text, const std::string &whose) {
    const auto refuse = [&](const char *why) {
      throw Dropped(DropReason::kRank, whose + why + (text.empty() ? "" : ": " + shown(text)));
    };
    const int rank = parse_rank(text);
    if (rank == kNoRank)
      refuse(" has no rank that is known, which --min-rank and --max-rank ask for");
    if (rank < filter_.lowest_rank) refuse(" is weaker than asked by --min-rank");
    if (filter_.highest_rank != kNoRank && rank > filter_.highest_rank)
      refuse(" is stronger than asked by --max-rank");
  };
  if (filter_.lowest_rank != kNoRank || filter_.highest_rank != kNoRank) {
    require_rank(game.black_rank, "Black");
    require_rank(game.white_rank, "White");
  }
  if (!filter_.drops_handicap || !is_sgf) return;
  // Unlabelled moves of SGF are set-up stones here; in games.data they are a plain opening.
  const auto num_set_up =
      std::count_if(game.moves.begin(), game.moves.end(),
                    [](const RecordedMove &move) { return move.is_unlabelled; });
  const auto refuse = [](const std::string &what) {
    throw Dropped(DropReason::kHandicap, what + ", which --no-handicap leaves out");
  };
  if (game.handicap >= kLeastHandicap)
    refuse("HA[" + shown(game.handicap_text) + "] is a handicap");
  if (num_set_up > 0) refuse(std::to_string(num_set_up) + " set-up stones (AB, AW)");
}

void Importer::take(Outcome &outcome, size_t line) {
  if (outcome.is_dropped)
    drop(line, outcome.reason, outcome.why, outcome.cause);
  else if (analysis_)
    take_line(outcome.line, line);
  else if (filter_.drops_duplicates && seen_.contains(outcome.key))
    drop(line, DropReason::kDuplicate, kSeen, kSeen);
  else {
    if (filter_.drops_duplicates) seen_.insert(outcome.key);
    packer_.add(outcome.packed);
    for (const std::string &assumption : outcome.assumptions)
      assumptions_.add("", assumption, place(line));
  }
}

void Importer::take_line(AnalysisLine &line, size_t number) {
  try {
    if (auto *query = std::get_if<std::unique_ptr<AnalysisQuery>>(&line)) {
      (*query)->location = location_;
      (*query)->line = number;
      (*query)->game.source = source_;
      analysis_->add(std::move(**query));
    } else if (auto *answer = std::get_if<AnalysisAnswer>(&line)) {
      analysis_->add(std::move(*answer));
    }
  } catch (const Dropped &dropped) {
    drop(number, dropped.reason(), dropped.what(), dropped.cause());
  }
}

void Importer::finish() {
  if (!analysis_) return;
  for (AnalysisQuery &query : analysis_->take()) {
    try {
      if (!query.game.has_values())
        throw Dropped(DropReason::kNoPositions, "no answer to query " + shown(query.id),
                      "a query without an answer");
      complete(query.game);
      packer_.add(pack(query.game));
    } catch (const Dropped &dropped) {
      location_ = query.location;
      drop(query.line, dropped.reason(), dropped.what(), dropped.cause());
    }
  }
}

void Importer::drop(size_t line, DropReason reason, const std::string &why,
                    const std::string &cause) {
  const auto index = static_cast<size_t>(reason);
  const std::string report = place(line) + ": " + kDropReasonNames[index] + ": " + why;
  ++num_dropped_[index];
  drops_.add(kDropReasonNames[index], cause, report);
  if (reports_.size() < kMaxReports) reports_.push_back(report);
}

}  // namespace golois
