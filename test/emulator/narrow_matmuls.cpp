// wgmma of the types whose operands are K-major only, all swizzles, A in shared memory and in
// registers; and who may touch the registers of a fragment when.
#include "harness.h"
#include "values.h"

#include <cstring>
#include <random>

using namespace test;
using emulator::number;

namespace {

constexpr uint32_t base = emulator::shared_base;
constexpr uint32_t a_at = base + 1024, b_at = a_at + 8192;
constexpr shape warpgroup = {.threads = 128, .shared_bytes = 1024 + 8192 + 32768, .seeds = 1};
constexpr int row_bytes = 128; // of K: four steps

unsigned char a_bytes[64][row_bytes], b_bytes[256][row_bytes];
int a_values[64][row_bytes], b_values[256][row_bytes];
double result[64][256];
int a_span, b_span;
bool a_in_registers;

// K-major rows in swizzle-atom columns as wide as the swizzle, or in core matrices of 8 x 16 bytes.
uint32_t place(uint32_t at, int span, int rows, int row, int byte) {
  if (span == 16)
    return at + uint32_t((byte / 16 * (rows / 8) + row / 8) * 128 + row % 8 * 16 + byte % 16);
  const uint32_t plain = at + uint32_t((byte / span * rows + row) * span + byte % span);
  return plain ^ (plain / 128 % uint32_t(span / 16)) * 16;
}

uint64_t descriptor(uint32_t at, int span, int rows, int step) {
  const uint64_t layout = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  const uint64_t lbo = span == 16 ? rows * 16 : 16, sbo = span == 16 ? 128 : 8 * span;
  if (span == 16)
    at += uint32_t(2 * lbo) * step;
  else
    at += uint32_t(step * 32 / span * rows * span + step * 32 % span);
  return (at & 0x3ffff) >> 4 | (lbo >> 4) << 16 | (sbo >> 4) << 32 | layout << 62;
}

template <typename D, int n, typename Matmul> void matmul_kernel(Matmul matmul) {
  const int t = int(threadIdx.x);
  const auto fill = [&](uint32_t at, int span, int rows, auto &bytes) {
    for (int i = t; i < rows * row_bytes / 16; i += 128) {
      const int row = i / (row_bytes / 16), byte = i % (row_bytes / 16) * 16;
      uint32_t chunk[4];
      memcpy(chunk, &bytes[row][byte], 16);
      st_shared_v4_b32(place(at, span, rows, row, byte), chunk[0], chunk[1], chunk[2], chunk[3]);
    }
  };
  fill(a_at, a_span, 64, a_bytes);
  fill(b_at, b_span, n, b_bytes);
  fence_proxy_async();
  __syncthreads();

  D d[n / 2];
  for (D &value : d)
    value = 1;
  const int row = 16 * (t / 32) + t % 32 / 4;
  uint32_t fragments[4][4];
  for (int step = 0; step < 4; ++step)
    for (int r = 0; r < 4; ++r)
      memcpy(&fragments[step][r],
             &a_bytes[row + 8 * (r % 2)][32 * step + 16 * (r / 2) + 4 * (t % 4)], 4);
  wgmma_fence();
  for (int step = 0; step < 4; ++step) {
    const uint64_t b = descriptor(b_at, b_span, n, step);
    if (a_in_registers)
      matmul(d, fragments[step], b);
    else
      matmul(d, descriptor(a_at, a_span, 64, step), b);
  }
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < n / 2; ++i)
    result[row + 8 * (i / 2 % 2)][8 * (i / 4) + 2 * (t % 4) + i % 2] = d[i];
}

void random_operands(number a_type, number b_type) {
  std::mt19937 random(11);
  const auto fill = [&](auto &values, auto &bytes, number type) {
    for (size_t row = 0; row < std::size(values); ++row)
      for (uint32_t k = 0; k < row_bytes / emulator::bytes_of(type); ++k) {
        values[row][k] = int(random() % 9) - (type == number::u8 ? 0 : 4);
        put(&bytes[row][k * emulator::bytes_of(type)], type, values[row][k]);
      }
  };
  fill(a_values, a_bytes, a_type);
  fill(b_values, b_bytes, b_type);
}

template <int n> bool is_matmul(number type) {
  for (int m = 0; m < 64; ++m)
    for (int c = 0; c < n; ++c) {
      int sum = 1;
      for (uint32_t k = 0; k < row_bytes / emulator::bytes_of(type); ++k)
        sum += a_values[m][k] * b_values[c][k];
      if (std::exchange(result[m][c], -1e9) != sum)
        return false;
    }
  return true;
}

template <int n> void all_modes(const char *name, number type, void (*kernel)()) {
  for (const int a : {0, 16, 32, 64, 128}) // 0: in registers
    for (const int b : {16, 32, 64, 128}) {
      a_in_registers = a == 0;
      a_span = a ? a : 128, b_span = b;
      clean(name, warpgroup, kernel, [type] { return is_matmul<n>(type); });
    }
}

// A and B with the same swizzle, and A in registers.
template <int n> void some_modes(const char *name, number type, void (*kernel)()) {
  for (const bool registers : {false, true}) {
    a_in_registers = registers;
    a_span = b_span = 128;
    clean(name, warpgroup, kernel, [type] { return is_matmul<n>(type); });
  }
}

// Both forms of an MMA of one type, as one function object.
#define MATMUL(name) [](auto &d, const auto &a, uint64_t b) { name(d, a, b, true); }
#define MODES(modes, name, D, n, A, B)                                                             \
  random_operands(number::A, number::B);                                                           \
  modes<n>(#name ", N = " #n, number::A, [] { matmul_kernel<D, n>(MATMUL(name)); })

} // namespace

TEST(float_types) {
  MODES(all_modes, wgmma_f32_tf32, float, 24, tf32, tf32);
  MODES(some_modes, wgmma_f32_tf32, float, 256, tf32, tf32);
  MODES(all_modes, wgmma_f32_e4m3, float, 8, e4m3, e4m3);
  MODES(some_modes, wgmma_f32_e4m3_e5m2, float, 40, e4m3, e5m2);
  MODES(some_modes, wgmma_f32_e5m2_e4m3, float, 128, e5m2, e4m3);
  MODES(some_modes, wgmma_f32_e5m2, float, 16, e5m2, e5m2);
}

TEST(integer_types) {
  MODES(all_modes, wgmma_s32_s8, int, 24, s8, s8);
  MODES(some_modes, wgmma_s32_s8_u8, int, 48, s8, u8);
  MODES(some_modes, wgmma_s32_u8_s8, int, 8, u8, s8);
  MODES(some_modes, wgmma_s32_u8, int, 256, u8, u8);
}

namespace {

uint64_t some() { return descriptor(b_at, 128, 64, 0); }

// A tile of zeros at b_at.
void zeros() {
  for (int i = int(threadIdx.x) * 8; i < 8192; i += 128 * 8)
    st_shared_v2_f32(b_at + uint32_t(i), 0, 0);
  fence_proxy_async();
  __syncthreads();
}

} // namespace

TEST(fragments) {
  clean("a fragment is written again after the wait", warpgroup, [] {
    zeros();
    float d[4] = {};
    uint32_t a[4] = {1, 2, 3, 4};
    for (int i = 0; i < 3; ++i) {
      wgmma_fence();
      wgmma_f32_e4m3(d, a, some(), true);
      wgmma_commit();
      wgmma_wait<0>();
      a[i] = 7;
    }
  });
  faulty(
      "... before the wait", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        uint32_t a[4] = {1, 2, 3, 4};
        wgmma_fence();
        wgmma_f32_e4m3(d, a, some(), true);
        wgmma_commit();
        if (threadIdx.x == 3)
          a[2] = 7;
        MISTAKE wgmma_wait<0>();
      },
      "register 2 of a fragment of A was written by thread 3");
  faulty(
      "a fragment without a value", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        uint32_t a[4];
        const uint32_t(*volatile seen)[4] = &a;
        wgmma_fence();
        MISTAKE wgmma_f32_tf32(d, *seen, some(), true);
      },
      "reads a register that nothing has been written to");
  faulty(
      "an accumulator without a value", warpgroup,
      [] {
        zeros();
        int d[4];
        wgmma_fence();
        MISTAKE wgmma_s32_s8(d, some(), some(), true);
      },
      "reads a register that nothing has been written to");
  clean("... which the MMA overwrites", warpgroup, [] {
    zeros();
    int d[4];
    wgmma_fence();
    wgmma_s32_s8(d, some(), some(), false);
    wgmma_commit();
    wgmma_wait<0>();
    st_shared_b32(base + 4 * threadIdx.x, uint32_t(d[0]));
  });
  faulty(
      "an accumulator written after the fence", warpgroup,
      [] {
        zeros();
        float d[4] = {};
        wgmma_fence();
        wgmma_f32_e4m3(d, some(), some(), true);
        wgmma_commit();
        wgmma_wait<0>();
        wgmma_fence();
        d[1] += 1;
        MISTAKE wgmma_f32_e4m3(d, some(), some(), true);
      },
      "register 1 of an accumulator, which thread 0 of the warpgroup has written since");
}
