// Registers, warps, numbers, and kernels that crash.
#include "harness.h"

#include <cmath>
#include <core/fiber.h>
#include <ptx/shuffle.h>
#include <unistd.h>

using namespace test;

namespace {

constexpr uint32_t base = emulator::shared_base;
uint32_t loaded[32][4];
int elected[64];
int *volatile wild = reinterpret_cast<int *>(uintptr_t(64));
volatile bool forever = true;

int deep(int level) {
  volatile char room[4096];
  room[level % 4096] = 1;
  return forever ? deep(level + 1) + room[level % 4096] : 0;
}

} // namespace

TEST(register_pool) {
  clean("40 + 232 + 232 of 3 x 168", {.threads = 384}, [] {
    if (warpgroup_index() == 0)
      setmaxnreg_dec<40>();
    else
      setmaxnreg_inc<232>();
  });
  faulty(
      "40 + 240 + 240 of 3 x 168", {.threads = 384},
      [] {
        if (warpgroup_index() == 0)
          setmaxnreg_dec<40>();
        else
          setmaxnreg_inc<240>();
      },
      "240 registers per thread: they have 168, and the block's pool has 56 left");
  faulty(
      "less than it has by inc", {.threads = 384}, [] { MISTAKE setmaxnreg_inc<160>(); },
      "asks for 160 registers when the warpgroup has 168");
  faulty(
      "more than it has by dec", {.threads = 384}, [] { MISTAKE setmaxnreg_dec<176>(); },
      "asks for 176 registers when the warpgroup has 168");
}

TEST(warps) {
  clean(
      "elect.sync elects one lane, always the same", {.threads = 64},
      [] {
        const bool once = elect_one(), again = elect_one();
        elected[threadIdx.x] = once + 2 * again;
      },
      [] {
        for (int warp = 0; warp < 2; ++warp) {
          int leaders = 0;
          for (int lane = 0; lane < 32; ++lane) {
            leaders += elected[32 * warp + lane] == 3;
            if (elected[32 * warp + lane] % 3 != 0)
              return false;
          }
          if (leaders != 1)
            return false;
        }
        return true;
      });
  clean("shuffles", {.threads = 64}, [] {
    const int lane = int(lane_index());
    if (__shfl_xor_sync(0xffffffff, lane, 5) != (lane ^ 5) ||
        __shfl_sync(0xffffffff, float(lane), 7) != 7.0f)
      __builtin_trap();
  });
  clean("up, down, segments, votes and sums", {.threads = 64}, [] {
    const int lane = int(lane_index());
    const bool right =
        shfl_up(lane, 3) == (lane < 3 ? lane : lane - 3) &&
        shfl_down(float(lane), 3) == float(lane > 28 ? lane : lane + 3) &&
        __shfl_sync(0xffffffff, lane, 1, 8) == lane / 8 * 8 + 1 &&
        __shfl_up_sync(0xffffffff, lane, 2, 4) == (lane % 4 < 2 ? lane : lane - 2) &&
        __shfl_down_sync(0xffffffff, lane, 2, 4) == (lane % 4 > 1 ? lane : lane + 2) &&
        __shfl_xor_sync(0xffffffff, lane, 12, 8) ==
            (lane / 8 * 8 + 7 < (lane ^ 12) ? lane : lane ^ 12) &&
        ballot(lane % 3 == 0) == 0x49249249u && any_lane(lane == 7) && !any_lane(lane == 40) &&
        every_lane(lane < 32) && !every_lane(lane < 31) && redux_add(lane - 10) == 496 - 320 &&
        redux_min(lane - 10) == -10 && redux_max(-lane) == 0;
    if (!right)
      __builtin_trap();
  });
  clean("parts of a warp, each by itself", {}, [] {
    const int lane = int(lane_index());
    const uint32_t mask = lane < 8 ? 0xff : lane < 16 ? 0xff00 : 0xffff0000;
    const int first = lane < 8 ? 0 : lane < 16 ? 8 : 16;
    for (int i = 0; i <= first; ++i) // not equally often
      if (__shfl_sync(mask, lane, first) != first ||
          __ballot_sync(mask, lane % 2) != (mask & 0xaaaaaaaa))
        __builtin_trap();
    __syncwarp(mask);
  });
  faulty(
      "a shuffle from a lane that does not take part", {},
      [] {
        if (lane_index() < 8)
          MISTAKE __shfl_sync(0xff, 1, 9);
      },
      "from lane 9, which does not take part");
  faulty("a mask without the lane itself", {}, [] { __shfl_sync(0xff, 1, 0); }, "leaves out");
  clean(
      "stmatrix and ldmatrix are inverse, transposed or not", {.shared_bytes = 2048},
      [] {
        const uint32_t lane = lane_index(), row = base + 16 * lane;
        stmatrix_x4(row, lane, lane + 100, lane + 200, lane + 300);
        __syncwarp();
        uint32_t r[4];
        ldmatrix_x4(row, r[0], r[1], r[2], r[3]);
        if (r[0] != lane || r[1] != lane + 100 || r[2] != lane + 200 || r[3] != lane + 300)
          __builtin_trap();
        ldmatrix_x4_trans(row, r[0], r[1], r[2], r[3]);
        __syncwarp();
        stmatrix_x4_trans(row, r[0], r[1], r[2], r[3]);
        __syncwarp();
        ldmatrix_x4(row, loaded[lane][0], loaded[lane][1], loaded[lane][2], loaded[lane][3]);
      },
      [] {
        for (uint32_t lane = 0; lane < 32; ++lane)
          for (uint32_t j = 0; j < 4; ++j)
            if (loaded[lane][j] != lane + 100 * j)
              return false;
        return true;
      });
  clean("ldmatrix gives lane t elements 2(t % 4) and the next of row t / 4", {.shared_bytes = 2048},
        [] {
          const uint32_t lane = lane_index();
          for (uint32_t i = 0; i < 2; ++i) { // element e of row r of matrix j is 64 j + 8 r + e
            const uint32_t e = 8 * lane + 4 * i;
            const float low = std::bit_cast<float>(e | (e + 1) << 16),
                        high = std::bit_cast<float>((e + 2) | (e + 3) << 16);
            st_shared_v2_f32(base + 16 * lane + 8 * i, low, high);
          }
          __syncwarp();
          uint32_t r[4];
          ldmatrix_x4(base + 16 * lane, r[0], r[1], r[2], r[3]);
          for (uint32_t j = 0; j < 4; ++j) {
            const uint32_t first = 64 * j + 8 * (lane / 4) + 2 * (lane % 4);
            if (r[j] != (first | (first + 1) << 16))
              __builtin_trap();
          }
          ldmatrix_x4_trans(base + 16 * lane, r[0], r[1], r[2], r[3]);
          for (uint32_t j = 0; j < 4; ++j) { // transposed: of column t / 4
            const uint32_t first = 64 * j + 8 * (2 * (lane % 4)) + lane / 4;
            if (r[j] != (first | (first + 8) << 16))
              __builtin_trap();
          }
        });
}

TEST(crashes) {
  setenv("TK_EMULATOR_PATIENCE", "1", 1);
  tk_emulator_configure(0, "random", 0);
  expect("an endless loop without instructions is reported", reported(
                                                                 {},
                                                                 [] {
                                                                   while (forever)
                                                                     ;
                                                                 },
                                                                 "an endless loop"));
  unsetenv("TK_EMULATOR_PATIENCE");
  faulty("a wild access", {}, [] { *wild = 1; }, "the thread crashed");
  faulty("endless recursion", {}, [] { elected[0] = deep(1); }, "the thread crashed");
  clean("and the next launch is none the worse", {}, [] { __syncthreads(); });
}

TEST(stacks) {
  emulator::stack_pool pool;
  int ends[2];
  expect("there is a pipe", pipe(ends) == 0);
  const auto is_readable = [&](const char *byte) { return write(ends[1], byte, 1) == 1; };
  bool are_whole = true, are_guarded = true;
  for (int i = 0; i < 300; ++i) { // of several mappings
    const char *lowest = static_cast<char *>(pool.take()) - emulator::stack_pool::stack_bytes;
    are_whole &= is_readable(lowest);
    are_guarded &= !is_readable(lowest - 1);
  }
  expect("all of a stack is there", are_whole);
  expect("each stack ends in a guard page", are_guarded);
}

TEST(numbers) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const float bf16 = emulator::bf16_value(uint16_t(bits)),
                f16 = emulator::f16_value(uint16_t(bits));
    if ((!std::isnan(bf16) && emulator::bf16_bits(bf16) != bits) ||
        (!std::isnan(f16) && emulator::f16_bits(f16) != bits))
      return expect("16-bit floats survive the way to float and back", false);
    // Halfway to the next one goes to the even one.
    const float next = emulator::f16_value(uint16_t(bits + 1));
    if (bits % 0x8000 < 0x7bff && emulator::f16_bits((f16 + next) / 2) != (bits + bits % 2))
      return expect("f16 rounds to nearest even", false);
  }
  // x y lies halfway between two bf16, so the smallest z decides which of them is nearest.
  const auto fma = [](float x, float y, float z) {
    return emulator::bf16_value(emulator::bf16_fma(x, y, z));
  };
  expect("fma of bf16 rounds to nearest even", fma(7, 37, 0) == 260 && fma(9, 29, 0) == 260);
  expect("fma of bf16 rounds once", fma(7, 37, -0x1p-100f) == 258 && fma(9, 29, 0x1p-100f) == 262 &&
                                        fma(-7, 37, 0x1p-100f) == -258 &&
                                        fma(7, 37, -0x1p-20f) == 258);
  expect("fma of bf16 has subnormal results", fma(0x1p-70f, 0x1p-63f, 0) == 0x1p-133f);
  expect("fma of bf16 keeps the sign of zero", std::signbit(fma(-0.0f, 1, -0.0f)));
  expect("fma of bf16 knows infinity",
         fma(1, 2, INFINITY) == INFINITY && std::isnan(fma(0, INFINITY, 1)));
  expect("poison stays poison", emulator::is_poison(std::bit_cast<uint32_t>(
                                    -(std::bit_cast<float>(emulator::poison_bits) + 1.0f))));
  expect("other NaN is not poison", !emulator::is_poison(std::bit_cast<uint32_t>(NAN)));
}
