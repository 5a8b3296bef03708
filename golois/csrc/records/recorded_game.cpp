#include "records/recorded_game.hpp"

#include <algorithm>
#include <optional>

#include "kit/decimal.hpp"
#include "records/amount.hpp"

namespace golois {

namespace {

constexpr int64_t kMaxKomiQuarters = 400;
constexpr int kKomiDecimals = 4, kHundredths = 100;
constexpr int64_t kTenThousandths = 100;  // of a hundredth
constexpr std::string_view kKomiWords[] = {"黑", "黒", "흑", "贴", "貼", "コミ", "덤", "komi"};

// Handicap stones that Black placed as moves: the leading run of Black's moves when the record has
// a handicap.
void mark_handicap_moves(RecordedGame &game) {
  const auto is_black = [](const RecordedMove &move) { return move.colour == kBlack; };
  const auto end = std::find_if_not(game.moves.begin(), game.moves.end(), is_black);
  const auto run = end - game.moves.begin();
  if (game.handicap < kLeastHandicap || run < 2) return;
  const auto num_stones = std::min<int64_t>(run, game.handicap);
  for (auto move = game.moves.begin(); move != game.moves.begin() + num_stones; ++move) {
    move->is_unlabelled = true;
    move->value = kNoValue;
  }
}

void label_by_result(RecordedGame &game) {
  const uint8_t value = result_label(game.result.winner);
  for (RecordedMove &move : game.moves)
    if (!move.is_unlabelled) move.value = value;
}

// A search judged the game: its result alone would label every move alike.
bool has_search_values(const RecordedGame &game) {
  const uint8_t label = result_label(game.result.winner);
  return std::any_of(game.moves.begin(), game.moves.end(), [label](const RecordedMove &move) {
    return move.value > 0 && move.value < 100 && move.value != label;
  });
}

bool ends_in_two_passes(const RecordedGame &game) {
  const size_t n = game.moves.size();
  if (n < 2) return false;
  const RecordedMove &last = game.moves[n - 1], &before = game.moves[n - 2];
  return last.point == kPass19 && before.point == kPass19 && last.colour != before.colour;
}

// A komi in hundredths of a point.
std::optional<int64_t> read_komi(std::string_view text) {
  std::string_view rest = text;
  if (const auto number = read_decimal(rest, kKomiDecimals); number && rest.empty()) {
    const bool is_exact = *number % kTenThousandths == 0;
    return is_exact ? std::optional(*number / kTenThousandths) : std::nullopt;
  }
  const std::string plain = plain_text(text);
  rest = plain;
  for (const std::string_view word : kKomiWords)
    if (begins_with(rest, word)) rest.remove_prefix(word.size());
  skip_space(rest);
  const auto amount = read_amount(rest);
  if (!amount || !rest.empty()) return std::nullopt;
  return amount->is_in_stones ? 2 * amount->hundredths : amount->hundredths;
}

}  // namespace

bool RecordedGame::has_values() const {
  return std::any_of(moves.begin(), moves.end(),
                     [](const RecordedMove &move) { return move.value != kNoValue; });
}

void set_komi(RecordedGame &game, std::string_view text) {
  constexpr int64_t kQuarter = 25;
  skip_space(text);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  game.komi_text = text;
  game.komi_quarters = kKomiUnknown;
  game.is_komi_valid = true;
  if (text.empty()) return;
  const auto komi = read_komi(text);
  game.is_komi_valid =
      komi && *komi % kQuarter == 0 && std::abs(*komi / kQuarter) <= kMaxKomiQuarters;
  if (game.is_komi_valid) game.komi_quarters = static_cast<int16_t>(*komi / kQuarter);
}

void set_handicap(RecordedGame &game, std::string_view text) {
  const std::string plain = plain_text(text);
  std::string_view rest = plain;
  skip_space(rest);
  game.handicap_text = text;
  const bool is_empty = rest.empty();
  const auto number = read_amount(rest);
  game.handicap = is_empty ? 0
                  : number ? static_cast<int>(number->hundredths / kHundredths)
                           : kHandicapUnknown;
}

std::string names_of(Point point) {
  const int column = point % kMaxSize, row = point / kMaxSize;
  const std::string sgf{static_cast<char>('a' + column), static_cast<char>('a' + row)};
  return "[" + sgf + "], " + kColumnNames[column] + std::to_string(kMaxSize - row);
}

int parse_rank(std::string_view text) {
  constexpr int kNumKyu = 30, kNumDan = 9;
  constexpr std::string_view kDan = "段", kKyu = "级", kOldKyu = "級";
  skip_space(text);
  if (text.empty() || !is_digit(text[0])) return kNoRank;
  const int64_t number = read_decimal(text, 0).value_or(0);
  skip_space(text);
  if (number < 1 || text.empty()) return kNoRank;
  const auto begins_with = [&](std::string_view word) {
    return text.substr(0, word.size()) == word;
  };
  const char unit = begins_with(kDan)                           ? 'd'
                    : begins_with(kKyu) || begins_with(kOldKyu) ? 'k'
                                                                : text[0] | ' ';
  if (unit == 'k' && number <= kNumKyu) return static_cast<int>(kNumKyu + 1 - number);
  if (unit == 'd' && number <= kNumDan) return static_cast<int>(kNumKyu + number);
  if (unit == 'p' && number <= kNumDan) return static_cast<int>(kNumKyu + kNumDan + number);
  return kNoRank;
}

void complete(RecordedGame &game) {
  mark_handicap_moves(game);
  const bool has_unlabelled =
      std::any_of(game.moves.begin(), game.moves.end(),
                  [](const RecordedMove &move) { return move.is_unlabelled; });
  const bool is_draw = game.result.is_known && game.result.winner == kEmpty;
  if (!game.has_values() && (has_unlabelled || is_draw)) label_by_result(game);
  game.is_played_out = ends_in_two_passes(game) && has_search_values(game) &&
                       game.result.margin_halves >= kMarginUnknown;
}

}  // namespace golois
