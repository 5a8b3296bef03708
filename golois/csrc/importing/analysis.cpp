#include "importing/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "importing/json.hpp"
#include "kit/decimal.hpp"
#include "records/drop.hpp"

namespace golois {

namespace {

constexpr size_t kMostOfError = 200;  // bytes of what an engine says

[[noreturn]] void refuse(const std::string &why, const std::string &cause = "") {
  throw Dropped(DropReason::kMalformed, why, cause);
}

std::string text_of(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

Colour colour_of(const std::string &text) {
  const char c = text.empty() ? '\0' : text[0];
  if (c == 'B' || c == 'b') return kBlack;
  if (c == 'W' || c == 'w') return kWhite;
  refuse("a colour must be B or W, not '" + shown(text) + "'");
}

// "Q16", or "(15,3)" by column and row from the top left, or "pass".
Point point_of(const std::string &text) {
  std::string_view rest = text;
  if (rest == "pass" || rest == "PASS" || rest == "Pass") return static_cast<Point>(kPass19);
  std::optional<int64_t> column, row;
  if (!rest.empty() && rest[0] == '(') {
    rest.remove_prefix(1);
    column = read_decimal(rest, 0);
    if (!rest.empty()) rest.remove_prefix(1);
    row = read_decimal(rest, 0);
    if (rest != ")") row.reset();
  } else if (rest.size() > 1) {
    const size_t letter = kColumnNames.find(static_cast<char>(rest[0] & ~0x20));
    if (letter != std::string_view::npos) column = static_cast<int64_t>(letter);
    rest.remove_prefix(1);
    if (const auto number = read_decimal(rest, 0)) row = kMaxSize - *number;
    if (!rest.empty()) row.reset();
  }
  if (!column || !row || *column < 0 || *column >= kMaxSize || *row < 0 || *row >= kMaxSize)
    refuse("'" + shown(text) + "' is not a point such as Q16, or pass");
  return static_cast<Point>(*row * kMaxSize + *column);
}

void read_moves(JsonReader &json, std::vector<RecordedMove> &moves) {
  json.array([&] {
    std::vector<std::string> words;
    json.array([&] { words.push_back(json.string()); });
    if (words.size() != 2)
      refuse("a move must be a colour and a point, not " + std::to_string(words.size()) + " words");
    moves.push_back({point_of(words[1]), colour_of(words[0])});
  });
}

int whole_number(JsonReader &json) {
  const double number = json.number();
  if (!(number >= 0 && number <= kMaxMoves && number == std::floor(number)))
    refuse("a number of moves must be whole, from 0 to 32767, not " + text_of(number));
  return static_cast<int>(number);
}

void keep_largest(std::vector<MoveShare> &moves) {
  const auto is_before = [](const MoveShare &a, const MoveShare &b) {
    return a.share != b.share ? a.share > b.share : a.point < b.point;
  };
  std::sort(moves.begin(), moves.end(), is_before);
  if (moves.size() > Target::kMaxMoves) moves.resize(Target::kMaxMoves);
}

void read_policy(JsonReader &json, double least_share, std::vector<MoveShare> &moves) {
  int point = 0;
  json.array([&] {
    const double share = json.number();  // -1 for an illegal move
    if (share > 1) refuse("a share in the policy is above 1: " + text_of(share));
    if (share >= least_share) moves.push_back({static_cast<uint16_t>(point), to_share(share)});
    ++point;
  });
  if (point != kPass19 + 1)
    refuse("the policy must have 362 numbers, not " + std::to_string(point));
  if (moves.empty()) refuse("no move in the policy has the least share, which --least-share sets");
  keep_largest(moves);
}

// What an answer says of its position, before it is known which side the numbers are for.
struct Opinion {
  std::optional<double> winrate, lead;
  Colour to_play = kEmpty;
};

Opinion read_root(JsonReader &json) {
  Opinion opinion;
  json.object([&](const std::string &key) {
    if (key == "winrate")
      opinion.winrate = json.number();
    else if (key == "scoreLead")
      opinion.lead = json.number();
    else if (key == "currentPlayer")
      opinion.to_play = colour_of(json.string());
    else
      json.skip();
  });
  return opinion;
}

void set_opinion(const Opinion &opinion, Colour winrates_of, Target &target) {
  if (!opinion.winrate || !(*opinion.winrate >= 0 && *opinion.winrate <= 1))
    refuse("rootInfo needs a winrate from 0 to 1" +
           (opinion.winrate ? ", not " + text_of(*opinion.winrate) : ""));
  const Colour whose = winrates_of == kEmpty ? opinion.to_play : winrates_of;
  if (whose == kEmpty)
    refuse("rootInfo needs currentPlayer, whose win rate it is with --winrates-as sidetomove");
  const bool is_white = whose == kWhite;
  target.value = to_share(is_white ? *opinion.winrate : 1 - *opinion.winrate);
  if (!opinion.lead) return;
  const double tenths = std::round((is_white ? 10 : -10) * *opinion.lead);
  target.lead_tenths =
      static_cast<int16_t>(std::clamp(tenths, -double{INT16_MAX}, double{INT16_MAX}));
}

// A line's members, of a query or of an answer.
struct Members {
  std::string id, error;
  bool has_moves = false, has_turn = false, is_last = true;
  std::vector<RecordedMove> set_up, moves;
  RecordedGame game;
  int columns = kMaxSize, rows = kMaxSize;
  size_t turn = 0;
  Opinion opinion;
  Target target;
};

void read_member(const std::string &key, JsonReader &json, double least_share, Members &line) {
  if (key == "id") {
    line.id = json.string();
  } else if (key == "moves") {
    line.has_moves = true;
    read_moves(json, line.moves);
  } else if (key == "initialStones") {
    read_moves(json, line.set_up);
  } else if (key == "boardXSize") {
    line.columns = whole_number(json);
  } else if (key == "boardYSize") {
    line.rows = whole_number(json);
  } else if (key == "komi") {
    set_komi(line.game, json.skip());
  } else if (key == "rules") {
    line.game.rules = json.peek() == '"' ? json.string() : std::string(json.skip());
  } else if (key == "turnNumber") {
    line.has_turn = true;
    line.turn = static_cast<size_t>(whole_number(json));
  } else if (key == "policy") {
    read_policy(json, least_share, line.target.moves);
  } else if (key == "rootInfo") {
    line.opinion = read_root(json);
  } else if (key == "isDuringSearch" || key == "noResults") {  // noResults: the search was ended
    line.is_last = !json.boolean() && line.is_last;
  } else if (key == "warning" || key == "action") {
    json.skip();
    line.is_last = false;
  } else if (key == "error") {
    line.error = json.string();
  } else {
    json.skip();
  }
}

std::unique_ptr<AnalysisQuery> as_query(Members &line) {
  auto made = std::make_unique<AnalysisQuery>();
  AnalysisQuery &query = *made;
  query.id = std::move(line.id);
  query.game = std::move(line.game);
  query.num_set_up = line.set_up.size();
  for (RecordedMove &stone : line.set_up) stone.is_unlabelled = true;
  query.game.moves = std::move(line.set_up);
  query.game.moves.insert(query.game.moves.end(), line.moves.begin(), line.moves.end());
  query.game.size = line.columns == line.rows ? line.columns : 0;
  query.game.size_text = std::to_string(line.columns) + ":" + std::to_string(line.rows);
  query.game.result = {true, kEmpty, kMarginUnknown};
  return made;
}

}  // namespace

AnalysisLine read_analysis_line(std::string_view text, const AnalysisOptions &options) {
  Members line;
  JsonReader json(text);
  json.object([&](const std::string &key) { read_member(key, json, options.least_share, line); });
  json.end();
  if (!line.error.empty()) throw Dropped(DropReason::kRefused, shown(line.error, kMostOfError));
  if (line.id.empty()) refuse("the line has no id");
  if (line.has_moves) return as_query(line);
  if (!line.is_last) return {};
  if (!line.has_turn) refuse("a query needs moves, an answer turnNumber: the line has neither");
  if (line.target.moves.empty()) refuse("the answer has no policy: ask with includePolicy");
  set_opinion(line.opinion, options.winrates_of, line.target);
  return AnalysisAnswer{std::move(line.id), line.turn, std::move(line.target),
                        line.opinion.to_play};
}

void Analysis::add(AnalysisQuery &&query) {
  if (!index_of_.emplace(query.id, queries_.size()).second)
    throw Dropped(DropReason::kDuplicate, "a second query of one id: " + shown(query.id),
                  "a second query of one id");
  query.game.targets.resize(query.game.moves.size());
  queries_.push_back(std::move(query));
}

void Analysis::add(AnalysisAnswer &&answer) {
  const auto found = index_of_.find(answer.id);
  if (found == index_of_.end())
    throw Dropped(DropReason::kNoQuery, shown(answer.id), "an answer without its query");
  AnalysisQuery &query = queries_[found->second];
  const size_t index = query.num_set_up + answer.turn;
  if (index > query.game.moves.size())
    refuse(
        "turn " + std::to_string(answer.turn) + " of " + shown(answer.id) + ", which ends before",
        "a turn after the end");
  if (index == query.game.moves.size()) return;  // after the last move: no training position
  RecordedMove &move = query.game.moves[index];
  if (move.value != kNoValue)
    throw Dropped(
        DropReason::kDuplicate,
        "a second answer to turn " + std::to_string(answer.turn) + " of " + shown(answer.id),
        "a second answer to one turn");
  if (answer.to_play == opponent(move.colour))
    refuse("turn " + std::to_string(answer.turn) + " of " + shown(answer.id) +
               " is of the colour that does not move",
           "a turn of the colour that does not move");
  constexpr int kHundred = 100;
  move.value =
      static_cast<uint8_t>((answer.target.value * kHundred + kWholeShare / 2) / kWholeShare);
  query.game.targets[index] = std::move(answer.target);
}

std::vector<AnalysisQuery> Analysis::take() {
  index_of_.clear();
  return std::exchange(queries_, {});
}

}  // namespace golois
