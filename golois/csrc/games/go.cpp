#include "games/go.hpp"

#include <array>

#include "go/candidates.hpp"
#include "go/score.hpp"
#include "katago/inputs.hpp"
#include "planes/features.hpp"
#include "planes/zero_planes.hpp"

namespace golois {

namespace {

GameShape shape_of(int size, const GoRules &rules, GoPlanes planes) {
  if (planes == GoPlanes::kKatago) require_katago_size(size);
  constexpr std::array<int, 3> kNumPlanesOf{kNumPlanes, kNumZeroPlanes, kNumKatagoSearchPlanes};
  return {{size, kNumPlanesOf[static_cast<size_t>(planes)]},
          size * size + rules.has_free_passes,
          kNumSymmetries};
}

}  // namespace

GoGame::GoGame(const Position &position, const GoRules &rules, GoPlanes planes)
    : StoneGame(shape_of(position.size(), rules, planes), position),
      rules_(rules),
      planes_(planes) {}

uint64_t GoGame::planes_key() const {
  if (planes_ != GoPlanes::kKatago)
    return position_.recent_key(planes_ == GoPlanes::kCourse ? kNumStates : kNumZeroStates);
  uint64_t key = position_.recent_key(Position::kHistory);
  for (int ago = 0; ago < KatagoGame::kShownMoves; ++ago)
    key = mix64(key ^ static_cast<uint64_t>(position_.state_ago(ago).move));
  (position_.taken() & position_.board().empty_points()).for_each([&](int p) {
    if (position_.legality(p, to_play()) == Legality::kSuperko)
      key = mix64(key ^ static_cast<uint64_t>(p));
  });
  return key;
}

bool GoGame::is_over() const {
  return position_.num_consecutive_passes() >= 2 ||
         (rules_.max_moves > 0 && position_.num_moves() >= rules_.max_moves);
}

double GoGame::outcome_white() const {
  const double lead_white = rules_.komi - score_black(position_.board());
  return lead_white > 0 ? 1.0 : lead_white < 0 ? 0.0 : 0.5;
}

PointSet GoGame::candidates() const {
  if (!rules_.has_free_passes) return candidate_moves(position_, rules_.komi);
  PointSet moves = legal_points(position_);
  moves.insert(position_.pass());
  return moves;
}

void GoGame::write_planes(int symmetry, LadderReadings before, std::vector<LadderReading> &readings,
                          float *planes) {
  if (planes_ == GoPlanes::kCourse)
    return golois::write_planes(course_words(before, readings), shape().planes, symmetry, planes);
  readings.clear();
  golois::write_planes(other_words(), shape().planes, symmetry, planes);
}

PlaneWords GoGame::other_words() const {
  if (planes_ == GoPlanes::kKatago)
    return search_plane_words(katago_inputs({rules_.komi, position_}, {}), to_play());
  return zero_plane_words(position_.size(), position_.recent<kNumZeroStates>(), to_play());
}

PlaneWords GoGame::course_words(LadderReadings before, std::vector<LadderReading> &readings) {
  Board &board = position_.board_to_read();
  PointSet changed;
  if (before.size > 0 && !undos_.back().is_pass) changed = board.changed_by(undos_.back().board);
  LadderMemory ladders(board, before, changed, readings);
  return plane_words({board, position_.recent<kNumStates>(), position_.to_play(), rules_.komi},
                     ladders);
}

}  // namespace golois
