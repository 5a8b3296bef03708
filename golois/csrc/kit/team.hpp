// Threads that share out work many times within a moment.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace golois {

// Between two calls of `run` its threads wait busily: to start threads for each call takes longer.
// So a team should end with the work that it was made for.
class Team {
 public:
  // Of fewer threads where the system has no more.
  explicit Team(int num_threads) {
    threads_.reserve(std::max(1, num_threads) - 1);
    try {
      for (int i = 1; i < num_threads; ++i) threads_.emplace_back([this, i] { follow(i); });
    } catch (const std::exception &) {
    }
  }
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;
  ~Team() {
    work_ = nullptr;
    round_.fetch_add(1, std::memory_order_release);
    for (std::thread &thread : threads_) thread.join();
  }

  // Calls work(k) for k = 0 … count−1; after a failure perhaps not for all. Rethrows one failure.
  void run(int64_t count, const std::function<void(int64_t)> &work) {
    count_ = count, work_ = &work;
    num_busy_.store(threads_.size(), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    share(0);
    wait([this] { return num_busy_.load(std::memory_order_acquire) == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  template <class Done>
  static void wait(Done done) {
    constexpr int kBusily = 4000;  // some microseconds; then let others have the processor
    for (int i = 0; !done();)
      if (i < kBusily) ++i;
      else std::this_thread::yield();
  }

  void share(int64_t first) {
    try {
      const auto step = static_cast<int64_t>(threads_.size()) + 1;
      for (int64_t k = first; k < count_; k += step) (*work_)(k);
    } catch (...) {
      const std::lock_guard lock(failing_);
      failure_ = std::current_exception();
    }
  }

  void follow(int64_t first) {
    for (uint64_t round = 1;; ++round) {
      wait([&] { return round_.load(std::memory_order_acquire) >= round; });
      if (work_ == nullptr) return;
      share(first);
      num_busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  int64_t count_ = 0;
  const std::function<void(int64_t)> *work_ = nullptr;
  std::atomic<uint64_t> round_{0};
  std::atomic<size_t> num_busy_{0};
  std::mutex failing_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace golois
