// Games and what KataGo says of their positions: the lines that its analysis engine takes and
// writes.
//
// Source: KataGo, docs/Analysis_Engine.md.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "records/recorded_game.hpp"

namespace golois {

struct AnalysisQuery {
  std::string id;
  RecordedGame game;
  size_t num_set_up = 0;  // stones that stand before the first turn: the first moves of the game
  std::string location;  // the file
  size_t line = 0;
};

struct AnalysisAnswer {
  std::string id;
  size_t turn = 0;  // moves made before the position
  Target target;
  Colour to_play = kEmpty;  // kEmpty where the answer does not say
};

// Which of the two a line is: a query has moves, an answer doesn't. Nothing for an answer that is
// not the engine's last on its position, and for its remarks.
using AnalysisLine = std::variant<std::monostate, std::unique_ptr<AnalysisQuery>, AnalysisAnswer>;

struct AnalysisOptions {
  // whose win rates and leads these are: a colour, or kEmpty for the side to move
  Colour winrates_of;
  double least_share = 0.001;  // smaller shares of moves are dropped
};

// Throws Dropped where the line can't be used.
AnalysisLine read_analysis_line(std::string_view line, const AnalysisOptions &options);

// Matches queries and answers; queries come first, the answers in any order.
class Analysis {
 public:
  // Both throw Dropped: for a repeated id, an answer without its query or beyond its game, or a
  // second one.
  void add(AnalysisQuery &&query);
  void add(AnalysisAnswer &&answer);

  // Removes and returns the games in the order of their queries, each with a target for each move.
  std::vector<AnalysisQuery> take();

 private:
  std::vector<AnalysisQuery> queries_;
  std::unordered_map<std::string, size_t> index_of_;
};

}  // namespace golois
