#include "harness.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace test {
namespace {

struct entry {
  const char *name;
  void (*run)();
};
std::vector<entry> &entries() {
  static std::vector<entry> all;
  return all;
}

const char *running = "";
int checks, failures;

void fail(const char *what, const std::string &why) {
  ++failures;
  printf("FAIL: %s: %s: %s\n", running, what, why.c_str());
}

tk_status run(shape s, void (*kernel)()) {
  tk::emulator::launch_description description = {};
  description.kernel = "test";
  description.blocks = s.blocks;
  description.threads = s.threads;
  description.shared_bytes = s.shared_bytes;
  description.dependent = s.dependent;
  description.cluster = s.cluster;
  description.arguments = reinterpret_cast<const void *>(kernel);
  description.body = [](const void *erased) {
    reinterpret_cast<void (*)()>(const_cast<void *>(erased))();
  };
  mistake_line = 0;
  return tk::emulator::launch(description);
}

template <typename Each> void for_each_timing(int seeds, Each each) {
  for (const char *timing : {"random", "latest", "earliest", "starve", "consumer_first"})
    for (int seed = 0; seed < seeds; ++seed) {
      tk_emulator_configure(seed, timing, 0);
      if (!each(std::string(" (") + timing + ", seed " + std::to_string(seed) + ")"))
        return; // one message per check is enough
    }
}

} // namespace

int mistake_line;

registration::registration(const char *name, void (*run)()) { entries().push_back({name, run}); }

void expect(const char *what, bool holds) {
  ++checks;
  if (!holds)
    fail(what, "does not hold");
}

void clean(const char *what, shape s, void (*kernel)(), std::function<bool()> after) {
  ++checks;
  for_each_timing(s.seeds, [&](const std::string &timing) {
    const tk_status status = run(s, kernel);
    if (status.code != TK_OK)
      return fail(what, status.message + timing), false;
    if (!after())
      return fail(what, "the result is wrong" + timing), false;
    return true;
  });
}

bool reported(shape s, void (*kernel)(), const char *words) {
  const tk_status status = run(s, kernel);
  return status.code == TK_EMULATOR_FAULT && strstr(status.message, words);
}

void faulty(const char *what, shape s, void (*kernel)(), const char *words) {
  ++checks;
  for_each_timing(1, [&](const std::string &timing) {
    const tk_status status = run(s, kernel);
    if (status.code != TK_EMULATOR_FAULT)
      return fail(what, "nothing was reported" + timing), false;
    if (!strstr(status.message, words))
      return fail(what, std::string("reported as '") + status.message + "' instead of '" + words +
                            "'" + timing),
             false;
    const std::string line = ".cpp:" + std::to_string(mistake_line) + "]";
    if (mistake_line && !strstr(status.message, line.c_str()))
      return fail(what, std::string("reported elsewhere than at [...") + line + ": " +
                            status.message + timing),
             false;
    if (!strstr(tk_emulator_report(), status.message + strlen("test: ")) &&
        !strstr(tk_emulator_report(), words))
      return fail(what, "the report does not say so" + timing), false;
    return true;
  });
}

CUtensorMap map_of(void *data, int rows, int columns, int64_t row_bytes, int box_rows,
                   int box_columns, int swizzle) {
  CUtensorMap map = {};
  map.data = data;
  map.extents[0] = columns;
  map.extents[1] = rows;
  map.strides[0] = row_bytes;
  map.box[0] = uint16_t(box_columns);
  map.box[1] = uint16_t(box_rows);
  map.rank = 2;
  map.element_bytes = 2;
  map.swizzle = uint8_t(swizzle);
  map.magic = tk::emulator::tensor_map_magic;
  return map;
}

CUtensorMap packed_map(void *data, int type, std::vector<int> extents, std::vector<int> box,
                       int swizzle) {
  CUtensorMap map = {};
  map.data = data;
  map.rank = uint8_t(extents.size());
  map.element_bytes = type == TK_F32 ? 4 : 2;
  map.type = uint8_t(type);
  map.swizzle = uint8_t(swizzle);
  map.magic = tk::emulator::tensor_map_magic;
  int64_t stride = map.element_bytes;
  for (size_t i = 0; i < extents.size(); ++i) {
    map.extents[i] = extents[i];
    map.box[i] = uint16_t(box[i]);
    stride *= extents[i];
    if (i + 1 < extents.size())
      map.strides[i] = stride;
  }
  return map;
}

} // namespace test

// emulator-tests [-v] [NAME...]: all tests, or those named. Reports of expected faults go to
// stderr, with -v.
int main(int count, char **arguments) {
  std::vector<std::string> names(arguments + 1, arguments + count);
  const bool verbose = std::erase(names, "-v") > 0;
  if (!verbose && !freopen("/dev/null", "w", stderr))
    return 1;
  int run = 0;
  for (const test::entry &e : test::entries()) {
    if (!names.empty() && std::find(names.begin(), names.end(), e.name) == names.end())
      continue;
    test::running = e.name;
    ++run;
    e.run();
  }
  printf("%d tests, %d checks, %d failures\n", run, test::checks, test::failures);
  return test::failures || run == 0;
}
