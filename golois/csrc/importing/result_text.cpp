#include "importing/result_text.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "kit/decimal.hpp"
#include "records/amount.hpp"

namespace golois {

namespace {

constexpr std::string_view kBlackWords[] = {"黑", "黒", "흑", "先番", "black"};
constexpr std::string_view kWhiteWords[] = {"白", "백", "white"};
// A sentence with one of these has no winner, even if a word below is part of it.
constexpr std::string_view kNoResultWords[] = {
    "勝負",   "胜负", "勝敗",       "胜败",    "勝ち負け", "승패",     "双负",   "雙負", "双方负",
    "雙方負", "双输", "雙輸",       "両負",    "両敗",     "両者負",   "共に負", "양패", "無効",
    "無效",   "无效", "무효",       "void",    "打ち掛け", "打掛",     "打挂",   "封棋", "封じ手",
    "중단",   "미완", "unfinished", "adjourn", "suspend",  "no result"};
constexpr std::string_view kDrawWords[] = {"和棋", "和局",     "平局", "平手",   "平棋", "判和",
                                           "双和", "雙和",     "持碁", "持ち碁", "持棋", "ジゴ",
                                           "じご", "引き分け", "引分", "무승부", "비김", "비겼"};
constexpr std::string_view kWinWords[] = {"勝", "胜", "승", "贏", "赢", "win", "won"};
constexpr std::string_view kLossWords[] = {"負",   "负",   "敗",   "败",    "패",   "輸",
                                           "输",   "投了", "投降", "投子",  "认输", "認輸",
                                           "lose", "loss", "lost", "resign"};
// What a side does that loses by it, even where no word says so.
constexpr std::string_view kTimeoutWords[] = {"超时",    "超時",     "逾时",       "逾時",
                                              "時間切",  "时间切",   "시간초과",   "시간 초과",
                                              "timeout", "time out", "out of time"};
constexpr std::string_view kFoulWords[] = {"反則", "反则", "犯规", "犯規", "반칙", "실격", "失格",
                                           "弃权", "棄权", "棄権", "棄權", "기권", "forfeit"};
// How a game was won, besides.
constexpr std::string_view kTimeWords[] = {"时间", "時間", "시간", "time"};
constexpr std::string_view kForfeitWords[] = {"不戦", "不战", "不戰", "判胜", "判勝", "判负", "判負", "default"};
constexpr std::string_view kResignWords[] = {"中盤", "中盘", "中押", "不计点", "不計点", "불계", "投了",
                                             "投降", "投子", "认输", "認輸",   "resign"};
constexpr std::string_view kStoneWords[] = {"/", "⁄", "又", "分之", "분의", "¼", "½", "¾"};

constexpr bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// The first of some words in a text: where it begins and ends; npos where there is none.
struct Found {
  size_t begin = std::string_view::npos, end = std::string_view::npos;
  bool exists() const { return begin != std::string_view::npos; }
};

Found find_first(std::string_view text, Words words) {
  Found first;
  for (const std::string_view word : words)
    if (const size_t at = text.find(word); at < first.begin) first = {at, at + word.size()};
  return first;
}

Found find_last(std::string_view text, Words words) {
  Found last;
  for (const std::string_view word : words) {
    const size_t at = text.rfind(word);
    if (at != std::string_view::npos && (!last.exists() || at > last.begin))
      last = {at, at + word.size()};
  }
  return last;
}

// A colour in a text, and where the text goes on after it.
struct Side {
  Colour colour = kEmpty;
  size_t end = 0;
};

// "b" and "w" count at the beginning only, where no other letter follows.
Side side_at_start(std::string_view text) {
  for (const std::string_view word : kBlackWords)
    if (begins_with(text, word)) return {kBlack, word.size()};
  for (const std::string_view word : kWhiteWords)
    if (begins_with(text, word)) return {kWhite, word.size()};
  const bool is_short = !text.empty() && (text[0] == 'b' || text[0] == 'w') &&
                        (text.size() == 1 || !is_letter(text[1]));
  return is_short ? Side{text[0] == 'b' ? kBlack : kWhite, 1} : Side{};
}

// The side that a verb is about: the last one before it, or else the first one after it.
Side side_of(std::string_view text, Found verb) {
  const std::string_view before = text.substr(0, verb.begin);
  const Found black = find_last(before, kBlackWords), white = find_last(before, kWhiteWords);
  if (black.exists() && (!white.exists() || black.begin > white.begin)) return {kBlack, black.end};
  if (white.exists()) return {kWhite, white.end};
  if (const Side side = side_at_start(before); side.colour != kEmpty) return side;
  const std::string_view after = text.substr(verb.end);
  const Found black_after = find_first(after, kBlackWords),
              white_after = find_first(after, kWhiteWords);
  if (black_after.begin < white_after.begin) return {kBlack, verb.end + black_after.end};
  return white_after.exists() ? Side{kWhite, verb.end + white_after.end} : Side{};
}

// Whether a number that ends here is a whole word, and not the number of moves, a date, or the
// whole part of a fraction.
bool ends_number(std::string_view rest) {
  const bool is_word = rest.empty() || is_space(rest[0]) || rest[0] == '!' || rest[0] == ')';
  skip_space(rest);
  return is_word ? rest.empty() || !is_digit(rest[0]) : find_first(rest, kWinWords).begin == 0;
}

int16_t to_margin(const Amount &amount) {
  const int64_t halves = amount.hundredths / 50;
  const bool is_margin =
      !amount.is_in_stones && halves > 0 && halves <= INT16_MAX && amount.hundredths % 50 == 0;
  return is_margin ? static_cast<int16_t>(halves) : kMarginUnknown;
}

// The first amount anywhere in a text.
std::optional<Amount> find_amount(std::string_view text, bool needs_unit) {
  while (!text.empty()) {
    const auto amount = read_amount(text);
    if (amount && (amount->has_unit || (!needs_unit && ends_number(text)))) return amount;
    if (!amount) text.remove_prefix(1);
  }
  return std::nullopt;
}

// How the winner won; only an amount after the winner is a margin.
int16_t margin_in_words(std::string_view text, std::string_view after) {
  if (contains_any(text, kResignWords)) return kMarginResign;
  if (contains_any(text, kTimeoutWords) || contains_any(text, kTimeWords)) return kMarginTime;
  if (contains_any(text, kFoulWords) || contains_any(text, kForfeitWords)) return kMarginForfeit;
  const auto amount = find_amount(after, false);
  return amount && !contains_any(after, kStoneWords) ? to_margin(*amount) : kMarginUnknown;
}

// How the winner won, in what follows "B+".
int16_t margin_after_plus(std::string_view text) {
  skip_space(text);
  switch (text.empty() ? '\0' : text[0]) {
    case 'r': return kMarginResign;
    case 't': return kMarginTime;
    case 'f': return kMarginForfeit;
  }
  std::string_view rest = text;
  const auto amount = read_amount(rest);
  if (!amount) return is_ascii(text) ? kMarginUnknown : margin_in_words(text, text);
  const bool is_margin =
      (amount->has_unit || ends_number(rest)) && !contains_any(text, kStoneWords);
  return is_margin ? to_margin(*amount) : kMarginUnknown;
}

bool says_by(std::string_view how) {
  skip_space(how);
  return begins_with(how, "by ") || begins_with(how, "on time");
}

GameResult won_by(Colour winner, int16_t margin_halves) { return {true, winner, margin_halves}; }

// "B+3.5", "黑+R"; nothing where there is no plus behind the side.
std::optional<GameResult> parse_short_form(std::string_view text) {
  const Side side = side_at_start(text);
  std::string_view rest = text.substr(side.end);
  skip_space(rest);
  if (side.colour == kEmpty || !begins_with(rest, "+")) return std::nullopt;
  return won_by(side.colour, margin_after_plus(rest.substr(1)));
}

// "Black by resignation", "黑中盘", "白 3目半": only how the side won follows. A number of all its stones
// and points is no margin.
GameResult parse_side_and_how(std::string_view text) {
  constexpr int64_t kMostOfMargin = 10000;  // hundredths
  const Side side = side_at_start(text);
  const std::string_view how = text.substr(side.end);
  const auto amount = find_amount(how, true);
  const bool says_how = says_by(how) || contains_any(how, kResignWords) ||
                        (amount && amount->hundredths < kMostOfMargin);
  return side.colour != kEmpty && says_how ? won_by(side.colour, margin_in_words(text, how))
                                           : GameResult{};
}

GameResult parse_words(std::string_view text) {
  if (contains_any(text, kNoResultWords)) return {};
  if (const Found win = find_first(text, kWinWords); win.exists()) {
    const Side winner = side_of(text, win);
    if (winner.colour == kEmpty) return {};
    return won_by(winner.colour, margin_in_words(text, text.substr(winner.end)));
  }
  if (says_by(text.substr(side_at_start(text).end))) return parse_side_and_how(text);
  for (const Words verbs : {Words(kLossWords), Words(kTimeoutWords), Words(kFoulWords)})
    if (const Found loss = find_first(text, verbs); loss.exists()) {
      const Side loser = side_of(text, loss);
      if (loser.colour == kEmpty) return {};
      return won_by(opponent(loser.colour), margin_in_words(text, text.substr(loser.end)));
    }
  return parse_side_and_how(text);
}

bool is_draw(std::string_view text) {
  return text == "0" || text == "和" || text == "빅" || text == "tie" || begins_with(text, "draw") ||
         begins_with(text, "jigo") || contains_any(text, kDrawWords);
}

}  // namespace

GameResult parse_result(std::string_view raw) {
  const std::string plain = plain_text(raw);
  std::string_view text = plain;
  skip_space(text);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (const auto result = parse_short_form(text)) return *result;
  return is_draw(text) ? GameResult{true, kEmpty, 0} : parse_words(text);
}

}  // namespace golois
