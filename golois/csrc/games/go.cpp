#include "games/go.hpp"

#include "go/candidates.hpp"
#include "go/score.hpp"
#include "planes/features.hpp"
#include "planes/zero_planes.hpp"

namespace golois {

namespace {

GameShape shape_of(int size, const GoRules &rules, GoPlanes planes) {
  const int num_planes = planes == GoPlanes::kCourse ? kNumPlanes : kNumZeroPlanes;
  return {{size, num_planes}, size * size + rules.has_free_passes, kNumSymmetries};
}

}  // namespace

GoGame::GoGame(const Position &position, const GoRules &rules, GoPlanes planes)
    : StoneGame(shape_of(position.size(), rules, planes), position), rules_(rules), planes_(planes) {}

uint64_t GoGame::planes_key() const {
  return position_.recent_key(planes_ == GoPlanes::kCourse ? kNumStates : kNumZeroStates);
}

bool GoGame::is_over() const {
  return position_.num_consecutive_passes() >= 2 || (rules_.max_moves > 0 && position_.num_moves() >= rules_.max_moves);
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

void GoGame::write_planes(int symmetry, LadderReadings before, std::vector<LadderReading> &readings, float *planes) {
  if (planes_ == GoPlanes::kCourse)
    return golois::write_planes(course_words(before, readings), shape().planes, symmetry, planes);
  readings.clear();
  const PlaneWords words = zero_plane_words(position_.size(), position_.recent<kNumZeroStates>(), to_play());
  golois::write_planes(words, shape().planes, symmetry, planes);
}

PlaneWords GoGame::course_words(LadderReadings before, std::vector<LadderReading> &readings) {
  Board &board = position_.board_to_read();
  PointSet changed;
  if (before.size > 0 && !undos_.back().is_pass) changed = board.changed_by(undos_.back().board);
  LadderMemory ladders(board, before, changed, readings);
  return plane_words({board, position_.recent<kNumStates>(), position_.to_play(), rules_.komi}, ladders);
}

}  // namespace golois
