// What moves tiles and vectors between threads, shared and global memory, for every element type,
// on values that all of them hold exactly: -7 to 7. Two warpgroups share a tile of 256 x 64, 128
// rows each; every result becomes a plane of `out`, and tiles.py knows what it must be.
//
// nvcc -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I RUNTIME/hopper -I RUNTIME tiles.cu
#include <host/global.h>
#include <host/launch.h>
#include <ptx/pdl.h>
#include <ptx/thread.h>
#include <tile/global.h>
#include <tile/interleave.h>
#include <tile/move.h>
#include <tile/parts.h>
#include <tile/random.h>
#include <tile/reduce.h>
#include <tile/scan.h>
#include <tile/transpose.h>

using namespace tk;

namespace tiles_plan {
constexpr int rows = 128, cols = 64, all_rows = 2 * rows;
constexpr int both = 3; // named barriers: 1 and 2 are the warpgroups' own
constexpr int tile_bytes = all_rows * cols * 4;
constexpr int shared_bytes = 2 * tile_bytes;
} // namespace tiles_plan

// Writes a tile from a place of the plane on, whose rows are 256 elements apart.
template <typename T, int rows, int cols, int warps>
TK_DEVICE void write(float *plane, int first_row, int first_col,
                     const rt<T, rows, cols, warps> &tile) {
  const element_place<warps> place;
  const auto &ordered = in_order(tile);
#pragma unroll
  for (int m_block = 0; m_block < rt<T, rows, cols, warps>::m_blocks; ++m_block)
#pragma unroll
    for (int i = 0; i < cols / 2; ++i)
      st_global_f32(plane + (first_row + place.row(m_block, i)) * 256 + first_col + place.col(i),
                    float(element(ordered, m_block, i)));
}

template <typename T>
__global__ void __launch_bounds__(256, 1) tiles_kernel(float *out, const gl<T, 3> tensor) {
  using namespace tiles_plan;
  using tile = rt<T, rows, cols>;
  using column_vector = col_vec<T, rows>;
  using row_vector = row_vec<T, cols>;
  griddepcontrol_wait(); // the kernel before this one may still be using out
  const uint32_t shared = shared_memory_base(), scratch = shared + tile_bytes;
  const int group = warpgroup_index(), first_row = group * rows, warp = int(threadIdx.x) / 32;
  float *plane = out;
  const auto show = [&](const auto &result) {
    write(plane, first_row, 0, result);
    plane += 256 * 256;
  };
  const auto show_rows = [&](const auto &v) {
    show(map<rt<T, rows, cols>>(v, [](auto v) { return v; }));
  };
  const auto show_columns = [&](const auto &w) {
    show(map<rt<T, rows, cols>>(w, [](auto w) { return w; }));
  };

  const tile x =
      map_at<tile>([&](int r, int c) { return ((first_row + r) * 7 % 31 - c * 5 % 17) % 8; });
  const column_vector v = map_at<column_vector>([&](int r) { return (first_row + r) % 5; });
  const row_vector w = map_at<row_vector>([&](int c) { return c % 3; });
  show(x);
  show(map<T>(x, v, w, [](auto x, auto v, auto w) { return x > 3 ? v : w; }));

  // Shared memory: all of it, columns that are part of a swizzle-atom column, and single elements, as TMA would
  // find them.
  const st<T, all_rows, cols> whole(shared);
  store(whole.template rows<rows>(first_row), x);
  named_barrier_sync(1 + group, 128); // the warpgroup has written its rows
  show(load<tile>(whole.template rows<rows>(first_row)));
  write(plane, first_row, 0,
        load<rt<T, rows, 16>>(whole.template rows<rows>(first_row).template columns<16>(32)));
  plane += 256 * 256;
  show(map_at<tile>([&](int r, int c) {
    const uint32_t row = whole.atom(c / whole.atom_cols) + (first_row + r) * whole.mode;
    return load_element<T>(
        row + (uint32_t(c % whole.atom_cols * sizeof(T)) ^ swizzle_bits<whole.mode>(row)));
  }));
  const sv<T, all_rows> vector(scratch);
  store(vector.template columns<rows>(first_row), v);
  named_barrier_sync(1 + group, 128); // the warpgroup has written its part
  show_rows(load<column_vector>(vector.template columns<rows>(first_row)));
  named_barrier_sync(both, 256); // scratch may be written again
  const sv<T, cols> across(scratch + 1024 * group);
  store(across, w);
  named_barrier_sync(1 + group, 128); // the warpgroup has written it
  show_columns(load<row_vector>(across));
  named_barrier_sync(both, 256); // scratch may be written again

  // Parts.
  show(concat_columns(x.template columns<16>(48), x.template columns<32>(0),
                      x.template columns<16>(32)));
  show(concat_rows(x.template rows<64>(64), x.template rows<64>(0)));
  show_rows(column<37>(x));
  show_rows(concat_rows(v.template part<64>(64), v.template part<64>(0)));
  show_columns(concat_columns(w.template part<24>(40), w.template part<40>(0)));
  write(plane, first_row, 0, even_columns(x));
  write(plane, first_row, 32, odd_columns(x));
  plane += 256 * 256;
  show(interleave_columns(x.template columns<32>(32), x.template columns<32>(0)));
  show(swap_pairs(x));

  // Reductions and scans. Values are kept small, so that every sum is exact.
  const tile few =
      map_at<tile>([&](int r, int c) { return (first_row + r + c) % 11 == 0 ? -1 : 0; });
  show_rows(row_max(x));
  show_rows(row_sum(few));
  show_columns(col_min<2>(x, scratch, both));
  show_columns(
      col_sum<2>(map_at<tile>([&](int r, int c) { return (first_row + r) % 64 == c ? 1 : 0; }),
                 scratch, both, w));
  show_rows(scan_max<2>(map_at<column_vector>([&](int r) { return (first_row + r) / 40; }), scratch,
                        both, group));
  show_rows(scan_sum<2>(map_at<column_vector>([&](int r) { return (first_row + r) % 50 == 20; }),
                        scratch, both, group));
  show_columns(scan_sum(map_at<row_vector>([&](int c) { return c % 15 == 4; })));
  show_rows(suffix_sum<2>(map_at<column_vector>([&](int r) { return (first_row + r) % 50 == 20; }),
                          scratch, both, group));
  show_rows(suffix_max<2>(map_at<column_vector>([&](int r) { return (255 - first_row - r) / 40; }),
                          scratch, both, group));
  show_columns(suffix_sum(map_at<row_vector>([&](int c) { return c % 15 == 4; })));
  show_rows(total_max<2>(map_at<column_vector>([&](int r) { return (first_row + r) / 40; }),
                         scratch, both, group));
  show_rows(total_sum<2>(map_at<column_vector>([&](int r) { return (first_row + r) % 50 == 20; }),
                         scratch, both, group));
  show_columns(total_sum(map_at<row_vector>([&](int c) { return c % 15 == 4; })));

  // Transposes: through shared memory, and a warp's own.
  write(plane, group * 32, 0,
        transpose<1>(map_at<rt<T, 64, 64>>([&](int r, int c) { return (r * 3 + c) % 7 - group; }),
                     scratch + group * 16384, 1 + group, 0)
            .template columns<64>(0));
  named_barrier_sync(both, 256); // the planes overlap
  plane += 256 * 256;
  write(
      plane, group * 64, 0,
      transpose<2>(map_at<rt<T, rows, 128>>([&](int r, int c) { return (first_row + r + c) % 8; }),
                   shared, both, group));
  plane += 256 * 256;
  show_columns(transpose<2>(map_at<col_vec<T, 64>>([&](int r) { return (group * 64 + r) % 9 - 2; }),
                            scratch, both, group)
                   .template part<64>(64));
  show_rows(transpose<2>(map_at<row_vec<T, 256>>([&](int c) { return c % 9 - 2; }), scratch, both,
                         group));
  const warp_rt<T, 32, 48> own =
      map_at<warp_rt<T, 32, 48>>([&](int r, int c) { return (r * 5 + c + warp) % 8; });
  write(plane, warp % 4 * 64, group * 64, transpose(own));
  plane += 256 * 256;
  write(plane, warp % 4 * 64, group * 64, own);
  plane += 256 * 256;
  write(plane, warp % 4 * 64, group * 128, interleave_columns(transpose(transpose(own)), own));
  plane += 256 * 256;
  const warp_col_vec<T, 32> down =
      map_at<warp_col_vec<T, 32>>([&](int r) { return (r + warp) % 8; });
  write(plane, warp * 32, 0, map<warp_rt<T, 32, 32>>(transpose(down), [](auto x) { return x; }));
  write(plane, warp * 32, 32,
        map<warp_rt<T, 32, 32>>(transpose(transpose(down)), [](auto x) { return x; }));
  plane += 256 * 256;
  write(plane, warp * 32, 0, map<warp_rt<T, 32, 48>>(col_max(own), [](auto x) { return x; }));
  write(plane, warp * 32, 48, map<warp_rt<T, 32, 48>>(row_min(own), [](auto x) { return x; }));
  const warp_col_vec<T, 32> ones = map_at<warp_col_vec<T, 32>>([&](int r) { return r % 9 == 2; });
  write(plane, warp * 32, 96, map<warp_rt<T, 32, 48>>(scan_sum(ones), [](auto x) { return x; }));
  write(plane, warp * 32, 144, map<warp_rt<T, 32, 48>>(total_sum(ones), [](auto x) { return x; }));
  write(plane, warp * 32, 192, map<warp_rt<T, 32, 48>>(suffix_sum(ones), [](auto x) { return x; }));
  plane += 256 * 256;

  // A warp's own tile in shared memory.
  named_barrier_sync(both, 256); // scratch may be written again
  const auto mine = st<T, all_rows, cols>(scratch).template rows<32>(warp * 32);
  store(mine, map_at<warp_rt<T, 32, 64>>([&](int r, int c) { return (r + 3 * c + warp) % 8; }));
  __syncwarp(); // the warp has written it
  write(plane, warp * 32, 0, load<warp_rt<T, 32, 64>>(mine));
  plane += 256 * 256;

  // Global memory: rows by index, and values that end where the tensor ends.
  const col_vec<int, rows> index =
      map_at<col_vec<int, rows>>([&](int r) { return (first_row + r) * 7 % 45 - 2; });
  show(gather<rt<T, rows, cols>>(tensor, {1, 1, 8}, index));
  show(gather<rt<T, rows, cols>>(tensor, {1, 1, 9}, index)); // no pair of 32 bits is aligned
  show_columns(gather<row_vec<T, cols>>(tensor, {1, 2, 0},
                                        map_at<row_vec<int, cols>>([&](int c) { return 69 - c; })));
  named_barrier_sync(both, 256); // all has been read
  store(tensor, {0, 3, first_row - 60}, v);
  if (group == 0) {
    store(tensor, {0, 5, 30}, w);
    if constexpr (sizeof(T) > 1) {
      store_add(tensor, {0, 7, 0}, w);
      store_add(tensor, {0, 8, 0}, v);
    }
  }
}

// Random numbers have no element type.
__global__ void __launch_bounds__(128, 1)
    random_kernel(float *out, int seed, int first_row, int first_col) {
  griddepcontrol_wait(); // the kernel before this one may still be using out
  write(out, 0, 0, map_at<rt<float, 128, 64>>([&](int r, int c) {
          return random_at(seed, first_row * 16 + r, first_col * 16 + c, 3);
        }));
  // Which of these limits a number is below, a bit for each: comparing does not go through floats.
  const float limits[] = {NAN,  -1.0f, 0.0f,    1e-45f, 0.1f, 0.5f, 1 - 5.9604645e-8f,
                          1.0f, 1.5f,  INFINITY};
  write(out, 0, 64, map_at<rt<float, 128, 64>>([&](int r, int c) {
          const random_number number = random_at(seed, first_row * 16 + r, first_col * 16 + c, 3);
          int below = number < float(number) ? 1024 : 0;
          for (int i = 0; i < 10; ++i)
            below += number < limits[i] ? 1 << i : 0;
          return float(below + (number < nextafterf(float(number), 2.0f) ? 2048 : 0));
        }));
}

template <typename T> tk_status tiles(const tk_tensor *out, const tk_tensor *tensor) {
  using namespace tiles_plan;
  host::launch_shape shape;
  shape.tiles = 1;
  shape.threads = 256;
  shape.shared_bytes = shared_bytes;
  return host::launch("tiles", tiles_kernel<T>, shape, nullptr, static_cast<float *>(out->data),
                      host::global<T, 3>(tensor));
}

extern "C" tk_status run_tiles(const tk_tensor *out, const tk_tensor *tensor) {
  switch (tensor->dtype) {
  case TK_BF16:
    return tiles<bf16>(out, tensor);
  case TK_F16:
    return tiles<f16>(out, tensor);
  case TK_F32:
    return tiles<float>(out, tensor);
  case TK_E4M3:
    return tiles<e4m3>(out, tensor);
  case TK_E5M2:
    return tiles<e5m2>(out, tensor);
  case TK_I8:
    return tiles<int8>(out, tensor);
  default:
    return tiles<int>(out, tensor);
  }
}

extern "C" tk_status run_tf32(const tk_tensor *out, const tk_tensor *tensor) {
  return tiles<tf32>(out, tensor);
}

extern "C" tk_status run_random(const tk_tensor *out, int32_t seed, int32_t first_row,
                                int32_t first_col) {
  host::launch_shape shape;
  shape.tiles = 1;
  shape.threads = 128;
  shape.shared_bytes = 0;
  return host::launch("random", random_kernel, shape, nullptr, static_cast<float *>(out->data),
                      int(seed), int(first_row), int(first_col));
}
