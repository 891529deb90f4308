//===- harness.h - Small kernels for the emulator, and what they must do --===//
//
// A test runs hand-written kernels, lambdas without captures, under every
// timing and a few seeds. A right one must end cleanly each time; one with a
// seeded mistake must be reported each time, in the expected words and, if the
// kernel marks it with MISTAKE, at the line of the mistake.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TEST_EMULATOR_HARNESS_H
#define TK_TEST_EMULATOR_HARNESS_H

#include <cuda.h>
#include <host/launch.h>
#include <ptx/barrier.h>
#include <ptx/convert.h>
#include <ptx/fence.h>
#include <ptx/matrix.h>
#include <ptx/mbarrier.h>
#include <ptx/memory.h>
#include <ptx/pdl.h>
#include <ptx/registers.h>
#include <ptx/thread.h>
#include <ptx/tma.h>
#include <ptx/wgmma.h>

#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace test {

using namespace tk;

struct shape {
  int threads = 32;
  int shared_bytes = 4096;
  int blocks = 1;
  bool dependent = false;
  int cluster = 1;
  int seeds = 3; // of each timing, where it must be clean
};

// Runs a kernel once for each timing and seed; `after` looks at what it left.
void clean(
    const char *what, shape s, void (*kernel)(), std::function<bool()> after = [] { return true; });
// ... each of them must end in a fault whose first line contains the words.
void faulty(const char *what, shape s, void (*kernel)(), const char *words);
// The same once, as chosen with tk_emulator_configure.
bool reported(shape s, void (*kernel)(), const char *words);
// At the line where the mistake was marked.
extern int mistake_line;
#define MISTAKE test::mistake_line = __LINE__,

void expect(const char *what, bool holds);

// A map of a rank-2 tensor of 16-bit elements; `row_bytes` from row to row.
CUtensorMap map_of(void *data, int rows, int columns, int64_t row_bytes, int box_rows,
                   int box_columns, int swizzle);

// The calls that every kernel with a TMA load opens with: one mbarrier at `address`, known to all
// threads.
inline void begin_barrier(uint32_t address, uint32_t count) {
  if (threadIdx.x == 0) {
    mbarrier_init(address, count);
    fence_mbarrier_init();
  }
  __syncthreads();
}

// Of any rank and type, packed; extents and box fastest dimension first.
CUtensorMap packed_map(void *data, int type, std::vector<int> extents, std::vector<int> box,
                       int swizzle);

struct registration {
  registration(const char *name, void (*run)());
};
#define TEST(name)                                                                                 \
  static void name();                                                                              \
  static test::registration register_##name(#name, name);                                          \
  static void name()

} // namespace test

#endif // TK_TEST_EMULATOR_HARNESS_H
