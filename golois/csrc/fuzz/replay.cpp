// Gives a fuzz target the files of folders: a corpus is a test wherever there is no libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int num_arguments, char **arguments) {
  int num_inputs = 0;
  for (int i = 1; i < num_arguments; ++i)
    for (const auto &entry : std::filesystem::directory_iterator(arguments[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
      ++num_inputs;
    }
  std::printf("%s: %d passed, 0 failed\n", arguments[0], num_inputs);
  return num_inputs == 0;
}
