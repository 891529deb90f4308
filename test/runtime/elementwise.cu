// One of everything in runtime/hopper/tile/map.h and reduce.h, on values that floats hold exactly. Two warpgroups share
// a tile of 256 x 48, 128 rows each; every result becomes a plane of `out`, and elementwise.py knows what it must be.
//
// nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I RUNTIME/hopper -I RUNTIME elementwise.cu
#include <host/launch.h>
#include <ptx/memory.h>
#include <ptx/pdl.h>
#include <ptx/thread.h>
#include <tile/map.h>
#include <tile/reduce.h>
#include <tile/split.h>

using namespace tk;

namespace elementwise_plan {
constexpr int rows = 128, cols = 48;
constexpr int barrier = 1;
constexpr int shared_bytes = 8 * cols * 4; // scratch of the column reductions: a row for each warp
} // namespace elementwise_plan

// Writes a tile to the rows of its warpgroup.
template <typename T, int rows, int cols> TK_DEVICE void write(float *plane, int first_row, const rt<T, rows, cols> &tile) {
  const element_place<4> place;
#pragma unroll
  for (int m_block = 0; m_block < tile.m_blocks; ++m_block)
#pragma unroll
    for (int i = 0; i < cols / 2; ++i) {
      const float value = float(element(tile, m_block, i));
      uint32_t bits;
      memcpy(&bits, &value, 4);
      st_global_b32(plane + (first_row + place.row(m_block, i)) * elementwise_plan::cols + place.col(i), bits);
    }
}

__global__ void __launch_bounds__(256, 1) elementwise_kernel(float *out) {
  using namespace elementwise_plan;
  using tile = rt<float, rows, cols>;
  using column = col_vec<float, rows>;
  using row = row_vec<float, cols>;
  griddepcontrol_wait(); // the kernel before this one may still be using out
  const uint32_t scratch = shared_memory_base();
  const int first_row = warpgroup_index() * rows;
  float *plane = out;
  const auto show = [&](const auto &result) {
    write(plane, first_row, result);
    plane += 2 * rows * cols;
  };
  const auto spread_rows = [](const column &v) { return map<tile>(v, [](float v) { return v; }); };
  const auto spread_columns = [](const row &w) { return map<tile>(w, [](float w) { return w; }); };

  // Coordinates and broadcasts.
  const tile x = map_at<tile>([&](int r, int c) { return float((first_row + r) * 7 % 31 - c * 5 % 17); });
  const column v = map_at<column>([&](int r) { return float((first_row + r) % 5); });
  const row w = map_at<row>([&](int c) { return float(c % 3); });
  show(x);
  show(map(x, v, w, [](float x, float v, float w) { return x + 2 * v - 3 * w; }));
  show(map(v, w, [](float v, float w) { return v * w; }));
  show(map_at(x, [&](float x, int r, int c) { return c <= r ? x : -INFINITY; }));

  // Other element types.
  const rt<bf16, rows, cols> rounded_x = map<bf16>(x, [](float x) { return x + x / 256; });
  const rt<f16, rows, cols> half_x = map<f16>(x, [](float x) { return x + x / 2048; });
  const rt<int, rows, cols> whole_x = map<int>(x, [](float x) { return int(x) / 4; });
  show(map(rounded_x, [](float x) { return 2 * x; }));
  show(map(half_x, [](float x) { return 2 * x; }));
  show(map<int>(whole_x, [](int x) { return x + 1; }));
  const col_vec<bf16, rows> rounded_v = map<bf16>(v, [](float v) { return v + v / 256; });
  show(map<tile>(rounded_v, [](float v) { return v; }));

  // Rows.
  show(spread_rows(row_max(x)));
  show(spread_rows(row_min(x, v)));
  show(spread_rows(finish_row_sum(partial_row_sum(x, map(v, [](float v) { return v / 4; })))));
  show(spread_rows(row_product(map(x, [](float x) { return x > 0 ? 2.0f : 0.5f; }))));

  // Columns, twice through the same scratch.
  show(spread_columns(col_sum<2>(x, scratch, elementwise_plan::barrier)));
  show(spread_columns(col_max<2>(x, scratch, elementwise_plan::barrier, w)));

  // Votes and one instruction's functions.
  const bool any = any_lane(threadIdx.x % 32 == 5), every = every_lane(threadIdx.x % 32 != 5);
  show(map_at<tile>([&](int, int) { return float(any) + 2 * float(every); }));
  const sv<float, 64> factors(scratch);
  if (warp_index() == 0)
    store_split(factors, map_at<lane_vec<float, 64>>([](int c) { return (1000 + 7 * c) / 4096.0f; }));
  __syncthreads();
  const rt<bf16, rows, 64> wide = map_at<rt<bf16, rows, 64>>(
      [&](int r, int c) { return float((first_row + r) * 7 % 31 - c * 5 % 17); });
  show(scale_columns(wide, load_split<split_vec<64>>(factors)).template columns<48>(0));
  show(map(v, x, [](float v, float x) { return ex2(v) + rcp(ex2(v)) + lg2(ex2(v)) + 0 * x; }));
}

extern "C" tk_status elementwise(const tk_tensor *out, tk_stream stream) {
  using namespace elementwise_plan;
  host::launch_shape shape;
  shape.tiles = 1;
  shape.threads = 256;
  shape.shared_bytes = shared_bytes;
  return host::launch("elementwise", elementwise_kernel, shape, stream, static_cast<float *>(out->data));
}
