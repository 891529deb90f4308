// Prints how host/band.h answers for products C = A B, with an L2 of 60 MiB as an H200 has, for
// band.test.
#include <cstdio>
#include <host/band.h>

using namespace tk;

static tk_tensor matrix(int dtype, int64_t rows, int64_t cols, int64_t batch) {
  return {nullptr, dtype, 3, {batch, rows, cols}, {rows * cols, cols, 1}};
}

static void show(int dtype, int64_t m, int64_t n, int64_t k, int tile_rows, int height, int least,
                 int64_t batch = 1) {
  const tk_tensor a = matrix(dtype, m, k, batch), b = matrix(dtype, k, n, batch);
  const tile_band band =
      host::share_band(60 << 20, {&a}, {&b}, height, least, (m + tile_rows - 1) / tile_rows, batch);
  const bool told =
      band.kept == cache_policy::evict_last && band.passed == cache_policy::evict_first;
  const bool untold = band.kept == cache_policy::normal && band.passed == cache_policy::normal;
  std::printf("%d x %d x %d of %d bytes, tiles of %d rows, %d matrices: %d, %s\n", int(m), int(n),
              int(k), int(host::dtype_bytes(dtype)), tile_rows, int(batch), band.height,
              told     ? "told"
              : untold ? "not told"
                       : "half");
}

int main() {
  show(TK_BF16, 4096, 4096, 4096, 128, 16, 9);
  show(TK_BF16, 8192, 14336, 4096, 128, 12, 8);  // 64 rows: bands of 12 would leave 4
  show(TK_BF16, 8192, 8192, 8192, 128, 12, 8);   // room for 9, which would leave one
  show(TK_BF16, 8192, 8192, 8192, 128, 16, 9);   // so here
  show(TK_BF16, 16384, 16384, 16384, 256, 8, 5); // room for 2
  show(TK_E4M3, 16384, 16384, 16384, 128, 12, 8);
  show(TK_BF16, 8192, 1024, 4096, 128, 16, 9);     // B is small
  show(TK_BF16, 4096, 4096, 1024, 128, 8, 6);      // both fit
  show(TK_BF16, 2048, 2048, 2048, 128, 16, 9, 16); // each matrix fits
  show(TK_BF16, 384, 65536, 4096, 128, 16, 9);     // one band
  show(TK_BF16, 64, 64, 64, 128, 4, 3);
  show(TK_BF16, 0, 64, 64, 128, 16, 9);
}
