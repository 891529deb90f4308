// Prints how host/band.h answers for products C = A B, with an L2 of 60 MiB as an H200 has, for
// band.test.
#include <cstdio>
#include <host/band.h>

using namespace tk;

static tk_tensor matrix(int dtype, int64_t rows, int64_t cols, int64_t batch) {
  return {nullptr, dtype, 3, {batch, rows, cols}, {rows * cols, cols, 1}};
}

static void show(int dtype, int64_t m, int64_t n, int64_t k, int tile_rows, int height,
                 int64_t batch = 1) {
  const tk_tensor a = matrix(dtype, m, k, batch), b = matrix(dtype, k, n, batch);
  const cache_policy policy = host::policy_of_read_once(60 << 20, {&a}, {&b}, height,
                                                        (m + tile_rows - 1) / tile_rows, batch);
  std::printf("%d x %d x %d of %d bytes, %d times, bands of %d x %d rows: %s\n", int(m), int(n),
              int(k), int(host::dtype_bytes(dtype)), int(batch), height, tile_rows,
              policy == cache_policy::evict_first ? "B first"
              : policy == cache_policy::normal    ? "as usual"
                                                  : "wrong");
}

int main() {
  show(TK_BF16, 4096, 4096, 4096, 128, 16);
  show(TK_BF16, 8192, 8192, 8192, 128, 12);
  show(TK_BF16, 8192, 4096, 14336, 128, 16);    // a band takes 59 MB
  show(TK_BF16, 16384, 16384, 16384, 256, 8);   // 67 MB
  show(TK_E4M3, 16384, 16384, 16384, 128, 16);  // 34 MB
  show(TK_BF16, 8192, 1024, 4096, 128, 16);     // B is small
  show(TK_BF16, 4096, 4096, 1024, 128, 8);      // both fit
  show(TK_BF16, 2048, 2048, 2048, 128, 16, 16); // each matrix fits
  show(TK_BF16, 384, 65536, 4096, 128, 16);     // one band, lower than others
  show(TK_BF16, 0, 64, 64, 128, 16);
  show(TK_BF16, 64, 64, 64, 128, 16, 0);
}
