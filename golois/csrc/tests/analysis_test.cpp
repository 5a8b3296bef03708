#include "importing/analysis.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "games.hpp"
#include "importing/importer.hpp"
#include "importing/json.hpp"
#include "records/drop.hpp"

using namespace golois;
using namespace golois::testing;

namespace {

const std::string kQuery =
    R"_({"id":"a","moves":[["B","Q16"],["w","(3,3)"],["B","pass"]],"komi":7.5,"rules":"chinese"})_";

std::string policy(int num_points, int point, const std::string &share) {
  std::string text = "[";
  for (int i = 0; i < num_points; ++i)
    text += (i ? "," : "") + (i == point ? share : std::string(i % 2 ? "0" : "-1"));
  return text + "]";
}

std::string answer(const std::string &more, const std::string &shares = policy(362, 72, "0.25")) {
  return R"({"id":"a","turnNumber":1,)"
         R"("rootInfo":{"currentPlayer":"W","winrate":0.3,"scoreLead":-2.26},)"
         R"("policy":)" +
         shares + more + "}";
}

Target target_of(const std::string &line, Colour winrates_of) {
  return std::get<AnalysisAnswer>(read_analysis_line(line, {winrates_of})).target;
}

Importer imported(const std::string &bytes, size_t piece_size) {
  Importer importer(AnalysisOptions{kBlack}, 2);
  importer.begin_source("here", "source");
  for (size_t at = 0; at < bytes.size(); at += piece_size)
    importer.feed(std::string_view(bytes).substr(at, piece_size));
  importer.end_source("");
  importer.finish();
  return importer;
}

bool is_refused(const std::string &why, const std::string &line) {
  return throws<Dropped>(why, [&] { read_analysis_line(line, {kBlack}); });
}

}  // namespace

TEST(numbers_are_read_as_json_writes_them) {
  const std::vector<std::pair<std::string, double>> cases = {
      {"0", 0},
      {"-0.5", -0.5},
      {"12.25", 12.25},
      {"1e-3", 1e-3},
      {"2.5E+2", 250},
      {"0.00000000000000000000125", 1.25e-21},
      {"123456789012345678901", 123456789012345678901.0}};
  for (const auto &[text, number] : cases)
    CHECK(std::abs(JsonReader(text).number() - number) <= 1e-12 * std::abs(number));
}

TEST(strings_are_unescaped) {
  CHECK(JsonReader(R"("a\n\"\\\/")").string() == "a\n\"\\/");
  CHECK(JsonReader("\"\\u00e9\\u4e2d\\ud83d\\ude00\"").string() ==
        "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80");
  for (const std::string bad : {"\"abc", "\"\\q\"", "\"\\u12g4\"", "\"\\"})
    CHECK(throws<Dropped>("expected", [&] { JsonReader(bad).string(); }));
}

TEST(a_query_is_a_game) {
  const auto query =
      std::move(std::get<std::unique_ptr<AnalysisQuery>>(read_analysis_line(kQuery, {kBlack})));
  CHECK(query->id == "a" && query->game.komi_quarters == 30 && query->game.rules == "chinese");
  CHECK(query->game.moves.size() == 3 && query->game.moves[0].point == 3 * 19 + 15 &&
        query->game.moves[1].point == 3 * 19 + 3);
  CHECK(query->game.moves[1].colour == kWhite && query->game.moves[2].point == kPass19);
}

TEST(a_win_rate_is_of_whom_the_caller_says) {
  CHECK(target_of(answer(""), kBlack).value == to_share(0.7) &&
        target_of(answer(""), kBlack).lead_tenths == 23);
  CHECK(target_of(answer(""), kWhite).value == to_share(0.3) &&
        target_of(answer(""), kWhite).lead_tenths == -23);
  CHECK(target_of(answer(""), kEmpty).value == to_share(0.3));
}

TEST(shares_of_a_thousandth_are_kept) {
  const Target target = target_of(answer("", policy(362, 361, "0.0010")), kBlack);
  CHECK(target.moves.size() == 1 && target.moves[0].point == kPass19);
  CHECK(is_refused("least share", answer("", policy(362, 3, "0.0009"))));
}

TEST(a_line_that_can_not_be_used_is_refused_in_words) {
  CHECK(is_refused("byte", "{"));
  CHECK(is_refused("byte", answer("") + "}"));
  CHECK(is_refused("362 numbers", answer("", policy(361, 3, "0.5"))));
  CHECK(is_refused("above 1", answer("", policy(362, 3, "1.5"))));
  CHECK(is_refused("id", R"({"moves":[]})"));
  CHECK(is_refused("turnNumber", R"({"id":"a"})"));
  CHECK(is_refused("includePolicy", R"({"id":"a","turnNumber":1,"rootInfo":{"winrate":0.5}})"));
  CHECK(
      is_refused("winrate", R"({"id":"a","turnNumber":1,"policy":)" + policy(362, 3, "0.5") + "}"));
  CHECK(is_refused("must be whole", R"({"id":"a","turnNumber":1.5})"));
  CHECK(is_refused("Q16", R"({"id":"a","moves":[["B","I5"]]})"));
  CHECK(is_refused("Q16", R"({"id":"a","moves":[["B","A20"]]})"));
  CHECK(is_refused("B or W", R"({"id":"a","moves":[["","A1"]]})"));
  CHECK(is_refused("no such thing", R"({"error":"no such thing"})"));
  CHECK(std::holds_alternative<std::monostate>(
      read_analysis_line(R"({"id":"a","isDuringSearch":true})", {kBlack})));
  for (const char *remark : {
           R"({"id":"a","field":"komi","warning":"unknown"})",
           R"({"id":"a","isDuringSearch":false,"noResults":true,"turnNumber":1})",
           R"({"id":"a","noResults":true,"isDuringSearch":false,"turnNumber":1})",
           R"({"id":"a","action":"query_version","version":"1.16"})",
       })
    CHECK(std::holds_alternative<std::monostate>(read_analysis_line(remark, {kBlack})));
}

TEST(answers_find_their_games_in_whatever_pieces_they_come) {
  const std::string bytes = kQuery + "\n\n" + answer("") + "\nbroken\n" + answer("") + "\n" +
                            R"({"id":"b","turnNumber":0,"rootInfo":{"winrate":1},"policy":)" +
                            policy(362, 0, "1") + "}";
  const Importer whole = imported(bytes, bytes.size());
  CHECK(whole.packer().rows().size() == 1 && whole.packer().num_positions() == 1);
  CHECK(whole.num_dropped(DropReason::kMalformed) == 1 &&
        whole.num_dropped(DropReason::kDuplicate) == 1);
  CHECK(whole.num_dropped(DropReason::kNoQuery) == 1);
  CHECK(whole.reports()[0].substr(0, 18) == "here:4: malformed:");
  for (size_t piece_size = 1; piece_size < 40; ++piece_size) {
    const Importer pieces = imported(bytes, piece_size);
    CHECK(pieces.packer().target_words() == whole.packer().target_words() &&
          pieces.reports() == whole.reports());
  }
}

TEST(a_game_without_an_answer_is_dropped) {
  const Importer importer = imported(kQuery, 1000);
  CHECK(importer.packer().rows().empty() && importer.num_dropped(DropReason::kNoPositions) == 1);
}

TEST(the_largest_shares_are_kept_the_largest_first) {
  std::string shares = "[";
  for (int i = 0; i < 362; ++i) shares += (i ? ",0.00" : "0.00") + std::to_string(1 + i % 9);
  const Target target = target_of(answer("", shares + "]"), kBlack);
  CHECK(target.moves.size() == Target::kMaxMoves && target.moves[0].share == to_share(0.009) &&
        target.moves[0].point == 8);
  CHECK(std::is_sorted(target.moves.begin(), target.moves.end(),
                       [](const MoveShare &a, const MoveShare &b) { return a.share > b.share; }));
}
