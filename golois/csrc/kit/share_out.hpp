// Work on numbered items, divided among threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace golois {

// Calls work(begin, end) for disjoint ranges of 0 … count−1 in threads, or in fewer where the
// system has no more; rethrows the first failure.
template <typename Work>
void share_out(int64_t count, int num_threads, Work work) {
  const int64_t num_ranges = std::max<int64_t>(1, std::min<int64_t>(num_threads, count));
  std::vector<std::exception_ptr> failures(num_ranges);
  const auto run = [&](int64_t range) {
    try {
      work(count * range / num_ranges, count * (range + 1) / num_ranges);
    } catch (...) {
      failures[range] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(num_ranges - 1);
  int64_t range = 1;
  try {
    for (; range < num_ranges; ++range) threads.emplace_back(run, range);
  // there is no room for another thread: the other ranges are for this one
  } catch (const std::exception &) {
  }
  for (; range < num_ranges; ++range) run(range);
  run(0);
  for (std::thread &thread : threads) thread.join();
  for (const std::exception_ptr &failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace golois
