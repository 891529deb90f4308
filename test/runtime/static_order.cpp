// static_order.cpp - Which tiles blocks take without a counter: each of them once, and about
// equally much work.
#include <tile/scheduler.h>

#include <algorithm>
#include <cstdio>
#include <vector>

// How often each tile is taken is written to `taken`; the work of the busiest block, where the
// tiles of a group fall from `nx` to 1 with `planes` of each length.
static long busiest(uint32_t blocks, uint32_t nx, uint32_t planes, uint32_t all,
                    std::vector<int> &taken) {
  const uint32_t count = nx * all, group = nx * planes;
  long most = 0;
  for (uint32_t block = 0; block < blocks; ++block) {
    long work = 0;
    for (uint32_t index = block; index < count;
         index = tk::next_static(index, block, blocks, group, count)) {
      ++taken[index];
      const uint32_t first = index / group * group, height = std::min(planes, all - first / nx);
      work += nx - (index - first) / height;
    }
    most = std::max(most, work);
  }
  return most;
}

int main() {
  for (uint32_t blocks = 1; blocks <= 9; ++blocks)
    for (uint32_t nx = 1; nx <= 7; ++nx)
      for (uint32_t all = 1; all <= 9; ++all)
        for (uint32_t planes = 1; planes <= all; ++planes) {
          std::vector<int> taken(nx * all);
          busiest(std::min(blocks, nx * all), nx, planes, all, taken);
          for (const int times : taken)
            if (times != 1)
              return printf("%u blocks, %u x %u tiles, groups of %u: a tile is taken %d times\n",
                            blocks, nx, all, planes, times);
        }
  // Causal attention of 4096 and 16384 rows on 132 SMs, with the groups that its kernel chooses.
  for (const uint32_t nx : {32u, 128u})
    for (const uint32_t all : {16u, 40u, 64u, 128u}) {
      const uint32_t planes = std::min(all, 512 / nx);
      std::vector<int> taken(nx * all);
      const double fair = nx * (nx + 1) / 2.0 * all / 132;
      const double share = busiest(132, nx, planes, all, taken) / fair;
      printf("%u x %u: %s\n", nx, all, share < 1.12 ? "balanced" : "unbalanced");
    }
  return 0;
}
