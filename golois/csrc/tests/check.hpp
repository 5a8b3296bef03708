// A test framework in one page: TEST defines one, CHECK counts, run_all() prints "N passed, N
// failed". No framework to install.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace golois::testing {

// One run of the tests; a test may check many things.
class Suite {
 public:
  static Suite &instance() {
    static Suite suite;
    return suite;
  }

  bool add(const char *name, std::function<void()> test) {
    tests_.emplace_back(name, std::move(test));
    return true;
  }

  void fail(const char *file, int line, const char *condition) {
    std::printf("%s:%d: expected %s\n", file, line, condition);
    has_failed_ = true;
  }

  // Runs the tests whose name contains `filter`; returns how many failed, or 1 where none was
  // found.
  int run_all(const std::string &filter) {
    int num_passed = 0, num_failed = 0;
    for (const auto &[name, test] : tests_) {
      if (name.find(filter) == std::string::npos) continue;
      has_failed_ = false;
      try {
        test();
      } catch (const std::exception &error) {
        fail(name.c_str(), 0, (std::string("no exception: got ") + error.what()).c_str());
      }
      if (has_failed_) std::printf("FAILED %s\n", name.c_str());
      ++(has_failed_ ? num_failed : num_passed);
    }
    std::printf("%d passed, %d failed\n", num_passed, num_failed);
    return num_passed == 0 ? 1 : num_failed;
  }

 private:
  std::vector<std::pair<std::string, std::function<void()>>> tests_;
  bool has_failed_ = false;
};

// Whether body() throws an Exception whose text contains `words`.
template <typename Exception, typename Body>
bool throws(const std::string &words, Body body) {
  try {
    body();
  } catch (const Exception &error) {
    return std::string(error.what()).find(words) != std::string::npos;
  }
  return false;
}

}  // namespace golois::testing

#define TEST(name)                                                              \
  static void test_##name();                                                    \
  static const bool is_added_##name =                                           \
      golois::testing::Suite::instance().add(__FILE__ ": " #name, test_##name); \
  static void test_##name()

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) golois::testing::Suite::instance().fail(__FILE__, __LINE__, #condition); \
  } while (false)
