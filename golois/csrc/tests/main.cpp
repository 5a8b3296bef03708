// Runs the native tests, or those whose name contains the first argument.
#include "check.hpp"

int main(int num_arguments, char **arguments) {
  return golois::testing::Suite::instance().run_all(num_arguments > 1 ? arguments[1] : "") != 0;
}
