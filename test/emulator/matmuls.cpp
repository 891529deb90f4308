// wgmma: every descriptor mode against a plain MMA, and who may touch the accumulators when.
#include "harness.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace test;

namespace {

constexpr uint32_t base = emulator::shared_base;
constexpr uint32_t a_at = base + 1024, b_at = base + 1024 + 32768;
constexpr int k_extent = 64;
constexpr int shared_bytes = 1024 + 32768 + 65536;

// The operands as numbers, and how they lie in shared memory.
float a_values[64][k_extent], b_values[k_extent][256], result[64][256];
int a_span, b_span; // of the swizzles; 16 for none
wgmma_major a_major, b_major;
bool half_type, a_in_registers;

uint16_t bits_of(float value) {
  return half_type ? emulator::f16_bits(value) : emulator::bf16_bits(value);
}

// Where element (mn, k) of an operand lies: tiles as TMA stores them, swizzle-atom column after
// swizzle-atom column.
uint32_t place(uint32_t at, int span, wgmma_major major, int mn_extent, int mn, int k) {
  const int inner = major == k_major ? k : mn, outer = major == k_major ? mn : k;
  const int outer_extent = major == k_major ? mn_extent : k_extent;
  if (span == 16) // core matrices of 8 rows of 16 bytes, along the outer dimension first
    return at + uint32_t((inner / 8 * (outer_extent / 8) + outer / 8) * 128 + outer % 8 * 16 +
                         inner % 8 * 2);
  const int atom = span / 2;
  const uint32_t plain =
      at + uint32_t((inner / atom * outer_extent + outer) * span + inner % atom * 2);
  return plain ^ (plain / 128 % uint32_t(span / 16)) * 16;
}

uint64_t descriptor(uint32_t at, int span, wgmma_major major, int mn_extent, int step) {
  const uint64_t layout = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  uint64_t lbo, sbo;
  if (span == 16) {
    // Along K and along MN, in both majors.
    lbo = major == k_major ? mn_extent / 8 * 128 : 128;
    sbo = major == k_major ? 128 : k_extent / 8 * 128;
    at += uint32_t(2 * lbo) * step;
  } else {
    sbo = 8 * span;
    lbo = major == k_major ? 16 : k_extent * span;
    at += major == k_major ? uint32_t(step * 32 / span * mn_extent * span + step * 32 % span)
                           : uint32_t(step * 16 * span);
  }
  return (at & 0x3ffff) >> 4 | (lbo >> 4) << 16 | (sbo >> 4) << 32 | layout << 62;
}

template <int n> void matmul_kernel() {
  const int t = threadIdx.x;
  // Sixteen bytes at a time, as the shadow of shared memory would have it: gather a chunk, then
  // store it.
  const auto fill = [&](uint32_t at, int span, wgmma_major major, int extent, auto value) {
    const int inner_extent = major == k_major ? k_extent : extent,
              outer_extent = major == k_major ? extent : k_extent;
    for (int chunk = t; chunk < inner_extent / 4 * outer_extent; chunk += 128) {
      const int inner = chunk % (inner_extent / 4) * 4, outer = chunk / (inner_extent / 4);
      uint16_t bits[4];
      for (int i = 0; i < 4; ++i)
        bits[i] = bits_of(major == k_major ? value(outer, inner + i) : value(inner + i, outer));
      float pair[2];
      memcpy(pair, bits, 8);
      st_shared_v2_f32(place(at, span, major, extent, major == k_major ? outer : inner,
                             major == k_major ? inner : outer),
                       pair[0], pair[1]);
    }
  };
  fill(a_at, a_span, a_major, 64, [](int m, int k) { return a_values[m][k]; });
  fill(b_at, b_span, b_major, n, [](int c, int k) { return b_values[k][c]; });
  fence_proxy_async();
  __syncthreads();

  float d[n / 2];
  for (float &value : d)
    value = 1;
  wgmma_fence();
  const int row = 16 * (t / 32) + t % 32 / 4, column = 2 * (t % 4);
  uint32_t fragments[k_extent / 16][4];
  for (int step = 0; step < k_extent / 16; ++step) {
    const uint64_t a = descriptor(a_at, a_span, a_major, 64, step),
                   b = descriptor(b_at, b_span, b_major, n, step);
    if (a_in_registers) {
      for (int r = 0; r < 4; ++r) {
        const int m = row + 8 * (r % 2), k = 16 * step + 8 * (r / 2) + column;
        fragments[step][r] = bits_of(a_values[m][k]) | uint32_t(bits_of(a_values[m][k + 1])) << 16;
      }
      if (b_major == k_major)
        half_type ? wgmma_f32_f16<k_major>(d, fragments[step], b, true)
                  : wgmma_f32_bf16<k_major>(d, fragments[step], b, true);
      else
        half_type ? wgmma_f32_f16<mn_major>(d, fragments[step], b, true)
                  : wgmma_f32_bf16<mn_major>(d, fragments[step], b, true);
      continue;
    }
    const auto all_majors = [&](auto matmul) {
      if (a_major == k_major && b_major == k_major)
        matmul.template operator()<k_major, k_major>();
      else if (a_major == k_major)
        matmul.template operator()<k_major, mn_major>();
      else if (b_major == k_major)
        matmul.template operator()<mn_major, k_major>();
      else
        matmul.template operator()<mn_major, mn_major>();
    };
    if (half_type)
      all_majors([&]<wgmma_major am, wgmma_major bm>() { wgmma_f32_f16<am, bm>(d, a, b, true); });
    else
      all_majors([&]<wgmma_major am, wgmma_major bm>() { wgmma_f32_bf16<am, bm>(d, a, b, true); });
  }
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < n / 2; ++i)
    result[row + 8 * (i / 2 % 2)][8 * (i / 4) + column + i % 2] = d[i];
}

template <int n> bool is_matmul() {
  for (int m = 0; m < 64; ++m)
    for (int c = 0; c < n; ++c) {
      float sum = 1; // small integers: exact in any order
      for (int k = 0; k < k_extent; ++k)
        sum += a_values[m][k] * b_values[k][c];
      if (std::exchange(result[m][c], NAN) != sum)
        return false;
    }
  return true;
}

void random_operands() {
  std::mt19937 random(7);
  for (auto &row : a_values)
    for (float &value : row)
      value = float(int(random() % 9) - 4);
  for (auto &row : b_values)
    for (float &value : row)
      value = float(int(random() % 9) - 4);
}

template <int n> void all_modes() {
  const int smallest_atom = n % 64 == 0   ? 128
                            : n % 32 == 0 ? 64
                            : n % 16 == 0 ? 32
                                          : 16; // of an MN-major B
  for (const int a : {16, 32, 64, 128})
    for (const int b : {16, 32, 64, 128})
      for (const wgmma_major am : {k_major, mn_major})
        for (const wgmma_major bm : {k_major, mn_major}) {
          if (bm == mn_major && b > smallest_atom)
            continue;
          a_span = a, b_span = b, a_major = am, b_major = bm;
          clean("an MMA", {.threads = 128, .shared_bytes = shared_bytes, .seeds = 1},
                matmul_kernel<n>, is_matmul<n>);
        }
}

} // namespace

TEST(descriptors) {
  random_operands();
  half_type = a_in_registers = false;
  all_modes<8>();
  all_modes<64>();
  all_modes<48>();
  all_modes<256>();
}

TEST(types_and_registers) {
  random_operands();
  a_span = b_span = 128;
  a_major = k_major;
  for (const wgmma_major major : {k_major, mn_major})
    for (const bool half : {false, true})
      for (const bool registers : {false, true}) {
        b_major = major, half_type = half, a_in_registers = registers;
        clean("an MMA", {.threads = 128, .shared_bytes = shared_bytes, .seeds = 1},
              matmul_kernel<128>, is_matmul<128>);
      }
  half_type = a_in_registers = false;
}

namespace {

// Both operands are the same zeros, in place and visible.
void zeros() {
  for (int i = threadIdx.x * 8; i < 8192; i += 128 * 8)
    st_shared_v2_f32(a_at + uint32_t(i), 0, 0);
  fence_proxy_async();
  __syncthreads();
}
uint64_t some() { return uint64_t(a_at) >> 4 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62; }

constexpr shape warpgroup = {.threads = 128, .shared_bytes = 16384};

// Two MMAs of one group, twice; the threads write the second one's fragment of A after the first
// one.
template <bool fences_again> void multiply_twice() {
  zeros();
  static float d[128][2][4];
  static uint32_t a[128][2][4];
  float(&own)[2][4] = d[threadIdx.x];
  for (uint32_t i = 1; i <= 2; ++i) {
    a[threadIdx.x][0][1] = i;
    wgmma_fence();
    wgmma_f32_bf16<k_major>(own[0], a[threadIdx.x][0], some(), false);
    a[threadIdx.x][1][2] = i;
    if (fences_again)
      wgmma_fence();
    MISTAKE wgmma_f32_bf16<k_major>(own[1], a[threadIdx.x][1], some(), false);
    wgmma_commit();
    wgmma_wait<0>();
  }
}

} // namespace

TEST(ownership) {
  clean("chained MMAs need one fence", warpgroup, [] {
    zeros();
    float d[4] = {};
    wgmma_fence();
    for (int i = 0; i < 8; ++i) {
      wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
      wgmma_commit();
      wgmma_wait<1>();
    }
    wgmma_wait<0>();
    cvt_bf16x2(d[0], d[1]);
  });
  faulty(
      "no fence at all", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        MISTAKE wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
      },
      "no wgmma_fence has handed");
  faulty(
      "no fence after the accumulators came back", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        wgmma_fence();
        wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
        wgmma_commit();
        wgmma_wait<0>();
        MISTAKE wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
      },
      "no wgmma_fence has handed");
  faulty(
      "read before the wait", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        wgmma_fence();
        wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
        wgmma_commit();
        MISTAKE cvt_bf16x2(d[0] * 2, d[1]); // arithmetic keeps the poison
      },
      "a register that an MMA in flight has yet to write");
  faulty(
      "read while a younger MMA is in flight", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        wgmma_fence();
        for (int i = 0; i < 2; ++i) {
          wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
          wgmma_commit();
        }
        wgmma_wait<1>();
        MISTAKE cvt_bf16x2(d[0], d[1]);
      },
      "a register that an MMA in flight has yet to write");
  faulty(
      "written before the wait", warpgroup,
      [] {
        zeros();
        volatile float kept[4] = {};
        float(&d)[4] = const_cast<float(&)[4]>(kept);
        wgmma_fence();
        wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
        wgmma_commit();
        kept[2] = 5;
        MISTAKE wgmma_wait<0>();
      },
      "register 2 of an accumulator was written");
  clean("a fragment of A written before the fence", warpgroup, multiply_twice<true>);
  faulty("a fragment of A written after the fence", warpgroup, multiply_twice<false>,
         "an MMA reads register 2 of a fragment of A");
  faulty(
      "another shape on the same registers", warpgroup,
      [] {
        zeros();
        float d[8] = {};
        wgmma_fence();
        wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
        MISTAKE wgmma_f32_bf16<k_major, k_major>(reinterpret_cast<float(&)[4]>(d), some(), some(),
                                                 true);
      },
      "in flight of another shape");
  faulty(
      "the end with an MMA in flight", warpgroup,
      [] {
        zeros();
        static float d[128][4];
        wgmma_fence();
        wgmma_f32_bf16<k_major, k_major>(d[threadIdx.x], some(), some(), false);
        wgmma_commit();
      },
      "ends while an MMA of its warpgroup is in flight");
}

TEST(matmul_operands) {
  faulty(
      "an operand overwritten before the wait", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        wgmma_fence();
        wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
        wgmma_commit();
        if (threadIdx.x == 77)
          MISTAKE st_shared_v2_f32(a_at, 0, 0);
        wgmma_wait<0>();
      },
      "while it may still be read by wgmma");
  faulty(
      "an operand written without a fence", warpgroup,
      [] {
        for (int i = threadIdx.x * 8; i < 8192; i += 128 * 8)
          st_shared_v2_f32(a_at + uint32_t(i), 0, 0);
        __syncthreads();
        float d[4] = {};
        wgmma_fence();
        MISTAKE wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
      },
      "executed no fence_proxy_async");
  faulty(
      "an operand that one thread of the warpgroup does not know of", warpgroup,
      [] {
        begin_barrier(base, 128);
        for (int i = threadIdx.x * 8; i < 8192; i += 128 * 8)
          st_shared_v2_f32(a_at + uint32_t(i), 0, 0);
        fence_proxy_async();
        mbarrier_arrive(base);
        if (threadIdx.x != 77)
          mbarrier_wait_parity(base, 0);
        float d[4] = {};
        wgmma_fence();
        MISTAKE wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
      },
      "while another thread may still write it");
  faulty(
      "an operand that only who wrote it knows of", warpgroup,
      [] {
        zeros();
        if (threadIdx.x == 0) {
          st_shared_v2_f32(a_at, 0, 0);
          fence_proxy_async();
        }
        float d[4] = {};
        wgmma_fence();
        MISTAKE wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
      },
      "while another thread may still write it");
  faulty(
      "an operand nobody wrote", warpgroup,
      [] {
        float d[4] = {};
        wgmma_fence();
        MISTAKE wgmma_f32_bf16<k_major, k_major>(d, some(), some(), true);
      },
      "which nothing has been written to");
  faulty(
      "a descriptor with a base offset", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        wgmma_fence();
        MISTAKE wgmma_f32_bf16<k_major, k_major>(d, some() | uint64_t(1) << 49, some(), true);
      },
      "bits set that have no meaning");
  faulty(
      "descriptors that differ between threads", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        wgmma_fence();
        wgmma_f32_bf16<k_major, k_major>(d, some() + (threadIdx.x == 5 ? 64 : 0), some(), true);
      },
      "gives a wgmma another descriptor");
  faulty(
      "a warp that does something else", warpgroup,
      [] {
        if (threadIdx.x < 32)
          wgmma_fence();
        else
          wgmma_commit();
      },
      "must be executed together by 128 threads");
}
