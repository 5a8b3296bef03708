#include "kit/team.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"
#include "kit/error.hpp"

using namespace golois;
using namespace golois::testing;

TEST(a_team_does_all_work_each_time_and_tells_of_a_failure) {
  for (const int threads : {1, 2, 8}) {
    Team team(threads);
    std::vector<int> done(5);
    for (int round = 1; round <= 200; ++round) {
      team.run(5, [&](int64_t k) { ++done[k]; });
      CHECK(std::count(done.begin(), done.end(), round) == 5);
    }
    CHECK(throws<Error>("item 3", [&] {
      team.run(5, [](int64_t k) {
        if (k == 3) throw Error("item 3");
      });
    }));
    team.run(5, [&](int64_t k) { done[k] = 0; });
    CHECK(std::count(done.begin(), done.end(), 0) == 5);
  }
}
