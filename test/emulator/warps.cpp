// Instructions of one warp: matrices, their transposes, mma.sync of all types, small accesses,
// atomics.
#include "harness.h"
#include "values.h"

#include <cstring>
#include <ptx/atomic.h>
#include <ptx/mma.h>
#include <random>

using namespace test;

namespace {

constexpr uint32_t base = emulator::shared_base;
uint32_t words[32][8];
unsigned char a_bytes[16][32], b_bytes[8][32]; // rows of A and columns of B, 32 bytes of K
float float_result[16][8];
int int_result[16][8];

template <typename D> auto &result_of() {
  if constexpr (std::is_same_v<D, float>)
    return float_result;
  else
    return int_result;
}

template <typename D>
using matmul = void (*)(D (&)[4], const uint32_t (&)[4], const uint32_t (&)[2], place);
matmul<float> float_matmul;
matmul<int> int_matmul;

template <typename D> void matmul_kernel(matmul<D> multiply) {
  const int g = int(lane_index()) / 4, q = int(lane_index()) % 4;
  uint32_t a[4], b[2];
  for (int r = 0; r < 4; ++r)
    memcpy(&a[r], &a_bytes[g + 8 * (r % 2)][16 * (r / 2) + 4 * q], 4);
  for (int r = 0; r < 2; ++r)
    memcpy(&b[r], &b_bytes[g][16 * r + 4 * q], 4);
  D d[4];
  for (int i = 0; i < 4; ++i)
    d[i] = D(i + 1);
  multiply(d, a, b, place::current());
  for (int i = 0; i < 4; ++i)
    result_of<D>()[g + 8 * (i / 2)][2 * q + i % 2] = d[i];
}

template <typename D>
void check_matmul(const char *name, matmul<D> multiply, emulator::number a_type,
                  emulator::number b_type) {
  std::mt19937 random(3);
  const int k = int(32 / emulator::bytes_of(a_type));
  int a[16][32], b[8][32];
  const auto fill = [&](auto &values, auto &bytes, emulator::number type) {
    for (size_t row = 0; row < std::size(values); ++row)
      for (int j = 0; j < k; ++j) {
        values[row][j] = int(random() % 9) - (type == emulator::number::u8 ? 0 : 4);
        put(&bytes[row][size_t(j) * emulator::bytes_of(type)], type, values[row][j]);
      }
  };
  fill(a, a_bytes, a_type);
  fill(b, b_bytes, b_type);
  void (*kernel)();
  if constexpr (std::is_same_v<D, float>)
    float_matmul = multiply, kernel = [] { matmul_kernel(float_matmul); };
  else
    int_matmul = multiply, kernel = [] { matmul_kernel(int_matmul); };
  clean(name, {}, kernel, [&] {
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 8; ++column) {
        int sum = 1 + column % 2 + 2 * (row / 8);
        for (int j = 0; j < k; ++j)
          sum += a[row][j] * b[column][j];
        if (std::exchange(result_of<D>()[row][column], D(-1e6)) != D(sum))
          return false;
      }
    return true;
  });
}

#define MATMUL(name, D, A, B)                                                                      \
  check_matmul<D>(                                                                                 \
      #name,                                                                                       \
      [](D(&d)[4], const uint32_t(&a)[4], const uint32_t(&b)[2], place where) {                    \
        name(d, a, b, where);                                                                      \
      },                                                                                           \
      emulator::number::A, emulator::number::B)

} // namespace

TEST(warp_matmuls) {
  MATMUL(mma_f32_bf16, float, bf16, bf16);
  MATMUL(mma_f32_f16, float, f16, f16);
  MATMUL(mma_f32_tf32, float, tf32, tf32);
  MATMUL(mma_f32_e4m3, float, e4m3, e4m3);
  MATMUL(mma_f32_e4m3_e5m2, float, e4m3, e5m2);
  MATMUL(mma_f32_e5m2_e4m3, float, e5m2, e4m3);
  MATMUL(mma_f32_e5m2, float, e5m2, e5m2);
  MATMUL(mma_s32_s8, int, s8, s8);
  MATMUL(mma_s32_s8_u8, int, s8, u8);
  MATMUL(mma_s32_u8_s8, int, u8, s8);
  MATMUL(mma_s32_u8, int, u8, u8);
  faulty(
      "half a warp", {.threads = 16},
      [] {
        float d[4] = {};
        const uint32_t a[4] = {}, b[2] = {};
        MISTAKE mma_f32_bf16(d, a, b);
      },
      "needs a whole warp");
}

TEST(matrices) {
  clean(
      "movmatrix transposes what ldmatrix.trans does", {},
      [] {
        const uint32_t lane = lane_index();
        stmatrix_x1(base + 16 * (lane % 8), 2 * lane | (2 * lane + 1) << 16); // element i is i
        __syncwarp();
        uint32_t plain, transposed;
        ldmatrix_x1(base + 16 * (lane % 8), plain);
        ldmatrix_x1_trans(base + 16 * (lane % 8), transposed);
        words[lane][0] = plain, words[lane][1] = transposed,
        words[lane][2] = movmatrix_trans(plain);
      },
      [] {
        for (uint32_t lane = 0; lane < 32; ++lane) {
          const uint32_t first = lane / 4 + 16 * (lane % 4); // 8 x 8, down the column lane / 4
          if (words[lane][0] != (2 * lane | (2 * lane + 1) << 16) ||
              words[lane][1] != (first | (first + 8) << 16) || words[lane][2] != words[lane][1])
            return false;
        }
        return true;
      });
  clean(
      "x2 takes its addresses from lanes 0 to 15", {},
      [] {
        const uint32_t lane = lane_index(), row = lane < 16 ? base + 16 * lane : 0;
        stmatrix_x2(row, lane, 100 + lane);
        __syncwarp();
        uint32_t r0, r1;
        ldmatrix_x2(row, r0, r1);
        words[lane][0] = r0, words[lane][1] = r1;
        __syncwarp();
        stmatrix_x2_trans(row, lane, 100 + lane);
        __syncwarp();
        ldmatrix_x2_trans(row, r0, r1);
        words[lane][2] = r0, words[lane][3] = r1;
        __syncwarp();
        stmatrix_x1_trans(row, lane);
        __syncwarp();
        ldmatrix_x1_trans(row, r0);
        words[lane][4] = r0;
      },
      [] {
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (uint32_t i = 0; i < 5; ++i)
            if (std::exchange(words[lane][i], ~0u) != lane + 100 * (i % 2))
              return false;
        return true;
      });
}

TEST(small_accesses) {
  clean("each thread has a byte, and then two and four of them", {.threads = 64}, [] {
    const uint32_t t = threadIdx.x;
    st_shared_b8(base + t, uint16_t(t));
    __syncthreads();
    const uint16_t pair = ld_shared_b16(base + 2 * (t % 32));
    if (pair != (2 * (t % 32) | (2 * (t % 32) + 1) << 8) || ld_shared_b8(base + 63 - t) != 63 - t)
      __builtin_trap();
    __syncthreads();
    st_shared_b16(base + 2 * t, uint16_t(2 * t));
    __syncthreads();
    st_shared_b32(base + 4 * t, t);
    __syncthreads();
    uint32_t r[4];
    ld_shared_v4_b32(base + 16 * (t % 16), r[0], r[1], r[2], r[3]);
    for (uint32_t i = 0; i < 4; ++i)
      if (r[i] != 4 * (t % 16) + i)
        __builtin_trap();
    __syncthreads();
    if (t < 16)
      st_shared_v4_b32(base + 16 * t, r[3], r[2], r[1], r[0]);
    __syncthreads();
    if (ld_shared_b32(base + 4 * t) != 4 * (t / 4) + 3 - t % 4)
      __builtin_trap();
  });
  faulty(
      "two threads write one byte", {.threads = 64},
      [] { st_shared_b8(base + threadIdx.x % 63, 1); },
      "shared byte 0 while another thread may still write it");
  faulty(
      "a byte that nobody has written, between others", {.threads = 64},
      [] {
        if (threadIdx.x != 5)
          st_shared_b8(base + threadIdx.x, 1);
        __syncthreads();
        MISTAKE ld_shared_b32(base + 4);
      },
      "reads shared byte 5, which nothing has been written to");
  clean("global memory, 1 to 16 bytes", {}, [] {
    const uint32_t t = lane_index();
    st_global_v4_b32(words[t], t, t + 1, t + 2, t + 3);
    st_global_v2_f32(words[t] + 4, 1.0f, 2.0f);
    st_global_b16(words[t] + 6, 7), st_global_b8(words[t] + 7, 9);
    uint32_t r[4];
    ld_global_v4_b32(words[t], r[0], r[1], r[2], r[3]);
    float f[2];
    ld_global_v2_f32(words[t] + 4, f[0], f[1]);
    if (r[0] != t || r[3] != t + 3 || f[1] != 2.0f || ld_global_b16(words[t] + 6) != 7 ||
        ld_global_b8(words[t] + 7) != 9 || ld_global_b32(words[t] + 2) != t + 2 ||
        ld_global_f32(words[t] + 4) != 1.0f)
      __builtin_trap();
  });
  faulty(
      "a misaligned global load", {},
      [] { MISTAKE ld_global_b32(reinterpret_cast<char *>(words) + 2); },
      "which is not a multiple of 4");
}

TEST(atomics) {
  memset(words, 0, sizeof words);
  clean(
      "sums in global memory, and who came when", {.threads = 64, .blocks = 3},
      [] {
        const uint32_t t = threadIdx.x;
        red_global_add_f32(&words[0][0], 1.0f);
        red_global_add_f16x2(&words[0][1], emulator::f16_bits(1) | uint32_t(emulator::f16_bits(2))
                                                                       << 16);
        red_global_add_bf16x2(&words[0][2], emulator::bf16_bits(1));
        red_global_add_v4_f32(&words[1][0], 1, 2, 3, 4);
        red_global_add_s32(&words[0][3], -1);
        red_global_max_s32(&words[3][0], int(t) - 40);
        red_global_min_s32(&words[3][1], int(t) - 40);
        red_global_max_u32(&words[3][2], t - 40);
        red_global_min_u32(&words[3][3], t - 40);
        atom_global_cas_b16(reinterpret_cast<uint16_t *>(&words[3][4]) + 1, 0, 7);
        if (atom_global_add_u32(&words[2][0], 1) == 191 && t < 64)
          atom_global_exch_b32(&words[2][1], 5);
        atom_global_max_s32(&words[2][2], int(t));
        atom_global_min_s32(&words[2][3], -int(t));
        atom_global_cas_b32(&words[2][4], 0, 77);
      },
      [] {
        const auto f = [](uint32_t bits) { return std::bit_cast<float>(bits); };
        const bool right =
            f(words[0][0]) == 192 && emulator::f16_value(uint16_t(words[0][1])) == 192 &&
            emulator::f16_value(uint16_t(words[0][1] >> 16)) == 384 &&
            emulator::bf16_value(uint16_t(words[0][2])) == 192 && words[0][3] == uint32_t(-192) &&
            f(words[1][0]) == 192 && f(words[1][3]) == 768 && words[2][0] == 192 &&
            words[2][1] == 5 && words[2][2] == 63 && int(words[2][3]) == -63 && words[2][4] == 77 &&
            words[3][0] == 23 && int(words[3][1]) == -40 && words[3][2] == 0xffffffff &&
            words[3][3] == 0 && words[3][4] == 7 << 16;
        memset(words, 0, sizeof words);
        return right;
      });
  clean("a sum in shared memory", {.threads = 64}, [] {
    if (threadIdx.x == 0)
      st_shared_b32(base, 0);
    __syncthreads();
    atom_shared_add_u32(base, 2);
    __syncthreads();
    if (ld_shared_b32(base) != 128)
      __builtin_trap();
  });
  clean("a lock that threads spin on", {.threads = 64}, [] {
    if (threadIdx.x == 0)
      st_shared_b32(base, 0);
    __syncthreads();
    if (threadIdx.x == 0)
      atom_shared_exch_b32(base, 1);
    else
      while (atom_shared_add_u32(base, 0) == 0)
        ;
  });
  faulty(
      "a sum that is read before all have added", {.threads = 64},
      [] {
        if (threadIdx.x == 0)
          st_shared_b32(base, 0);
        __syncthreads();
        atom_shared_add_u32(base, 2);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
          ld_shared_b32(base);
      },
      "");
}

TEST(unwritten_registers) {
  faulty(
      "a variable without a value is stored", {},
      [] {
        float x[2];
        const float *volatile seen = x; // or the compiler warns, as it should
        MISTAKE st_shared_v2_f32(base, seen[0], seen[1]);
      },
      "reads a register that nothing has been written to");
}
