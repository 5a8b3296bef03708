#include "importing/server_habits.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "kit/decimal.hpp"
#include "records/amount.hpp"
#include "records/drop.hpp"

namespace golois {

namespace {

constexpr int kMostFixedStones = 9;

constexpr Point on_19x19(int column, int row) {
  return static_cast<Point>(row * kMaxSize + column);
}

constexpr Point kD4 = on_19x19(3, 15), kQ16 = on_19x19(15, 3), kD16 = on_19x19(3, 3),
                kQ4 = on_19x19(15, 15);
constexpr Point kFixedPoints[] = {kD4,            kQ16,           kD16,          kQ4,
                                  on_19x19(3, 9), on_19x19(15, 9), on_19x19(9, 15), on_19x19(9, 3)};
constexpr Point kCentre = on_19x19(9, 9);

bool is_played(const RecordedGame &game, Point point) {
  const auto is_there = [&](const RecordedMove &move) { return move.point == point; };
  return std::any_of(game.moves.begin(), game.moves.end(), is_there);
}

// White makes the first move on the board, or would make it, and no stone of Black stands there.
bool lacks_handicap_stones(const RecordedGame &game) {
  for (const RecordedMove &move : game.moves) {
    if (move.point == kPass19) continue;
    if (move.colour == kBlack) return false;
    if (!move.is_unlabelled) return true;
  }
  return game.to_play == kWhite;
}

std::vector<Point> fixed_points(const RecordedGame &game) {
  const bool has_centre = game.handicap > 4 && game.handicap % 2 == 1;
  std::vector<Point> points(kFixedPoints, kFixedPoints + game.handicap - has_centre);
  if (has_centre) points.push_back(kCentre);
  // Servers differ on the third corner: KGS leaves D16 empty, IGS and GTP leave Q4 empty.
  if (game.handicap == 3 && is_played(game, kD16)) points.back() = kQ4;
  return points;
}

void place_handicap(RecordedGame &game) {
  const bool has_handicap = game.handicap >= kLeastHandicap || game.handicap == kHandicapUnknown;
  if (!has_handicap || !lacks_handicap_stones(game)) return;
  const std::string handicap = "HA[" + shown(game.handicap_text) + "] without AB";
  if (game.handicap == kHandicapUnknown)
    throw Dropped(DropReason::kHandicap, handicap + " is no number of stones");
  if (game.handicap > kMostFixedStones)
    throw Dropped(DropReason::kHandicap, handicap + ": there are no fixed points for it");
  std::vector<RecordedMove> stones;
  for (const Point point : fixed_points(game)) stones.push_back({point, kBlack, kNoValue, true});
  game.moves.insert(game.moves.begin(), stones.begin(), stones.end());
  game.has_fixed_handicap = true;
  game.assumptions.push_back(handicap + " is read as stones on the fixed points");
}

// Fox Weiqi, and Tencent's server of the same maker.
bool is_fox(const RecordedGame &game) {
  static constexpr std::string_view kNames[] = {"foxwq", "foxgo", "fox go",   "fox weiqi",
                                                "野狐",  "txwq",  "腾讯围棋", "騰訊圍棋"};
  return game.is_from_fox ||
         (!game.application.empty() && contains_any(plain_text(game.application), kNames));
}

bool is_even(const RecordedGame &game) {
  const auto is_handicap = [](const RecordedMove &move) { return move.is_unlabelled; };
  const auto is_black = [&](size_t i) {
    return i < game.moves.size() && game.moves[i].colour == kBlack;
  };
  const bool black_moves_twice = is_black(0) && is_black(1);
  return game.handicap == 0 && !black_moves_twice &&
         std::none_of(game.moves.begin(), game.moves.end(), is_handicap);
}

bool has_chinese_rules(const RecordedGame &game) {
  static constexpr std::string_view kChinese[] = {"chinese", "中国", "中國"};
  return contains_any(plain_text(game.rules), kChinese);
}

// A komi of hundredths in quarters of a point. 375 can only be stones, and so is 350 under Chinese
// rules, where 650 is points.
int64_t quarters_of(int64_t hundredths, bool has_chinese_rules) {
  constexpr int64_t kQuarter = 25, kLeastOfStones = 250, kMostOfStones = 400;
  const int64_t quarters = hundredths / kQuarter, size = std::abs(hundredths);
  const bool is_in_stones =
      quarters % 2 != 0 || (has_chinese_rules && size >= kLeastOfStones && size <= kMostOfStones);
  return is_in_stones ? 2 * quarters : quarters;
}

// The number that stands for a komi in hundredths; none where the komi means what it says.
std::optional<int64_t> komi_in_hundredths(const RecordedGame &game) {
  constexpr int64_t kQuarter = 25, kMostPoints = 100;
  std::string_view text = game.komi_text;
  const auto number = read_decimal(text, 2);
  if (!number || !text.empty() || *number % (100 * kQuarter) != 0) return std::nullopt;
  const int64_t hundredths = *number / 100;
  return is_fox(game) || std::abs(hundredths) > kMostPoints ? std::optional(hundredths)
                                                            : std::nullopt;
}

std::string in_points(int64_t quarters) {
  static constexpr const char *kParts[] = {"", ".25", ".5", ".75"};
  return (quarters < 0 ? "-" : "") + std::to_string(std::abs(quarters) / 4) +
         kParts[std::abs(quarters) % 4];
}

// An odd number of quarters under Chinese rules is a number of stones: 3.75 stones are 7.5 points.
void read_stones(RecordedGame &game) {
  constexpr int16_t kLeastOfStones = 10, kMostOfStones = 16;
  const int16_t komi = game.komi_quarters;
  const bool is_in_stones = komi % 2 != 0 && komi >= kLeastOfStones && komi <= kMostOfStones;
  if (!is_in_stones || !has_chinese_rules(game)) return;
  game.komi_quarters *= 2;
  game.assumptions.push_back("KM[" + shown(game.komi_text) +
                             "] is read as stones: " + in_points(2 * komi) + " points");
}

// Fox may have any komi; without its name, only what a komi in points cannot be and a usual komi in
// hundredths can.
bool is_plausible(int64_t quarters, bool is_fox) {
  constexpr int64_t kMostOfFox = 80, kLeastUsual = 16, kMostUsual = 36;  // 20, 4 and 9 points
  return is_fox ? std::abs(quarters) <= kMostOfFox
                : quarters >= kLeastUsual && quarters <= kMostUsual;
}

void read_hundredths(RecordedGame &game) {
  const auto hundredths = komi_in_hundredths(game);
  if (!hundredths) return;
  const std::string komi = "KM[" + shown(game.komi_text) + "]";
  if (*hundredths == 0) {
    if (!is_even(game)) return;
    game.komi_quarters = kKomiUnknown;
    game.assumptions.push_back(komi + " of an even game on Fox is read as an unknown komi");
    return;
  }
  const int64_t quarters = quarters_of(*hundredths, has_chinese_rules(game));
  if (!is_plausible(quarters, is_fox(game))) return;
  game.komi_quarters = static_cast<int16_t>(quarters);
  game.is_komi_valid = true;
  game.assumptions.push_back(komi + " is read as hundredths: " + in_points(quarters) + " points");
}

// Fox counts Chinese games in stones, whether a quarter shows it or not.
void forget_margin_in_stones(RecordedGame &game) {
  const bool is_counted = game.result.winner != kEmpty && game.result.margin_halves >= 0;
  if (is_counted && is_fox(game) && has_chinese_rules(game))
    game.result.margin_halves = kMarginUnknown;
}

}  // namespace

void read_as_meant(RecordedGame &game) {
  if (game.game_type != 1 || game.size != kMaxSize) return;
  place_handicap(game);
  read_stones(game);
  read_hundredths(game);
  forget_margin_in_stones(game);
  if (!game.is_komi_valid) game.komi_text = "KM[" + game.komi_text + "]";  // as a report shows it
}

}  // namespace golois
