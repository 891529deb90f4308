// Small programs for the wrappers of the ptx layer, the same for the GPU and the emulator: each case writes what it
// computed, and test/emulator/conformance.py compares the two bit for bit. Values are small integers, so that every sum
// is exact in any order; the cases named rounding/... are not, and are compared with a tolerance.
//
//   conformance OUTPUT [PREFIX]     runs all cases, or those whose names begin with PREFIX
//
// OUTPUT holds for each case a line with its name and the number of bytes, then the bytes.
#include <host/launch.h>
#include <ptx/atomic.h>
#include <ptx/barrier.h>
#include <ptx/cluster.h>
#include <ptx/convert.h>
#include <ptx/cp_async.h>
#include <ptx/fence.h>
#include <ptx/matrix.h>
#include <ptx/math.h>
#include <ptx/mbarrier.h>
#include <ptx/memory.h>
#include <ptx/mma.h>
#include <ptx/pdl.h>
#include <ptx/shuffle.h>
#include <ptx/thread.h>
#include <ptx/tma.h>
#include <ptx/wgmma.h>
#include <ptx/widen.h>

#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <vector>

using namespace tk;

// ---- memory and launches ---------------------------------------------------------------------

constexpr int output_bytes = 64 * 256 * 4, input_bytes = 65536, packed_count = 4096;

static unsigned char *device_input, *device_output;
static unsigned char input[input_bytes], output[output_bytes];
static FILE *dump;
static const char *only = "";
static int cases, failures;

#ifdef __CUDACC__
static void allocate() {
  cudaMalloc(&device_input, input_bytes);
  cudaMalloc(&device_output, output_bytes);
}
static void upload() {
  cudaMemcpy(device_input, input, input_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_output, output, output_bytes, cudaMemcpyHostToDevice);
}
static const char *download() {
  const cudaError_t error = cudaMemcpy(output, device_output, output_bytes, cudaMemcpyDeviceToHost);
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
#else
static void allocate() {
  device_input = static_cast<unsigned char *>(aligned_alloc(1024, input_bytes));
  device_output = static_cast<unsigned char *>(aligned_alloc(1024, output_bytes));
}
static void upload() {
  memcpy(device_input, input, input_bytes);
  memcpy(device_output, output, output_bytes);
}
static const char *download() {
  memcpy(output, device_output, output_bytes);
  return nullptr;
}
#endif

struct run_shape {
  int threads = 32, shared_bytes = 1024, blocks = 1, cluster = 1;
};

// Runs one case: `bytes` of the output are its result. The output starts as zeros.
template <typename... parameters, typename... given>
static void run(const std::string &name, int bytes, run_shape s, void (*kernel)(parameters...), const given &...values) {
  if (name.compare(0, strlen(only), only) != 0)
    return;
  ++cases;
  memset(output, 0, output_bytes);
  upload();
  host::launch_shape shape;
  shape.tiles = s.blocks;
  shape.threads = s.threads;
  shape.shared_bytes = s.shared_bytes;
  shape.cluster = s.cluster;
  const tk_status status = host::launch("conformance", kernel, shape, nullptr, values...);
  const char *problem = status.code == TK_OK ? download() : status.message;
  if (problem) {
    ++failures;
    printf("FAIL: %s: %s\n", name.c_str(), problem);
    return;
  }
  fprintf(dump, "%s %d\n", name.c_str(), bytes);
  fwrite(output, 1, size_t(bytes), dump);
}

static uint32_t next_random() {
  static uint64_t state = 1;
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return uint32_t(state >> 33);
}

// ---- elements --------------------------------------------------------------------------------

enum element { bf16_, f16_, tf32_, e4m3_, e5m2_, s8_, u8_ };
constexpr int size_of(element type) { return type == tf32_ ? 4 : type == bf16_ || type == f16_ ? 2 : 1; }

// The bits of a small integer.
static uint32_t bits_of(element type, int value) {
  if (type == s8_ || type == u8_)
    return uint8_t(value);
  float f = float(value);
  uint32_t bits;
  memcpy(&bits, &f, 4);
  const uint32_t sign = bits >> 31, mantissa = bits & 0x7fffff;
  const int exponent = int(bits >> 23 & 255) - 127;
  if (type == tf32_)
    return bits;
  if (type == bf16_)
    return bits >> 16;
  if (value == 0)
    return 0;
  if (type == f16_)
    return sign << 15 | uint32_t(exponent + 15) << 10 | mantissa >> 13;
  if (type == e4m3_)
    return sign << 7 | uint32_t(exponent + 7) << 3 | mantissa >> 20;
  return sign << 7 | uint32_t(exponent + 15) << 2 | mantissa >> 21;
}

// Rows of small integers at a place in the input.
static void fill(element type, int at, int bytes) {
  for (int i = 0; i < bytes; i += size_of(type)) {
    const int limit = type == e5m2_ ? 9 : 9;
    const uint32_t bits = bits_of(type, int(next_random() % uint32_t(limit)) - (type == u8_ ? 0 : 4));
    memcpy(input + at + i, &bits, size_t(size_of(type)));
  }
}

// ---- wgmma -----------------------------------------------------------------------------------

constexpr int row_bytes = 128, b_input = 64 * row_bytes; // A is 64 rows of K in the input, then B is N rows
constexpr int a_shared = 1024, b_shared = a_shared + 64 * row_bytes;
constexpr int matmul_shared = b_shared + 256 * row_bytes;

struct layout {
  int span; // of the swizzle, 16 for none
  int major;
};

// Where a chunk of 16 bytes lies: in swizzle-atom columns as wide as the span, or in core matrices of 8 x 16 bytes. `inner` counts
// bytes of the contiguous dimension, `outer` lines of the other one.
__device__ uint32_t chunk_address(uint32_t at, int span, int outer_extent, int outer, int inner) {
  if (span == 16)
    return at + uint32_t((inner / 16 * (outer_extent / 8) + outer / 8) * 128 + outer % 8 * 16);
  const uint32_t plain = at + uint32_t((inner / span * outer_extent + outer) * span + inner % span);
  return plain ^ ((plain >> 7) & uint32_t(span / 16 - 1)) << 4;
}

__device__ void fill_operand(uint32_t at, layout l, int mn, const unsigned char *from) {
  const int k_extent = row_bytes / 2; // of 16-bit elements, the only ones that may be MN-major
  if (l.major == k_major) {
    for (int i = int(threadIdx.x); i < mn * row_bytes / 16; i += 128) {
      const int row = i / (row_bytes / 16), byte = i % (row_bytes / 16) * 16;
      uint32_t r0, r1, r2, r3;
      ld_global_v4_b32(from + row * row_bytes + byte, r0, r1, r2, r3);
      st_shared_v4_b32(chunk_address(at, l.span, mn, row, byte), r0, r1, r2, r3);
    }
  } else {
    for (int i = int(threadIdx.x); i < k_extent * mn / 8; i += 128) {
      const int k = i / (mn / 8), first = i % (mn / 8) * 8;
      uint32_t r[4];
      for (int j = 0; j < 4; ++j)
        r[j] = ld_global_b16(from + (first + 2 * j) * row_bytes + 2 * k) |
               uint32_t(ld_global_b16(from + (first + 2 * j + 1) * row_bytes + 2 * k)) << 16;
      st_shared_v4_b32(chunk_address(at, l.span, k_extent, k, first * 2), r[0], r[1], r[2], r[3]);
    }
  }
}

__device__ uint64_t descriptor(uint32_t at, layout l, int mn, int step) {
  const uint64_t mode = l.span == 128 ? 1 : l.span == 64 ? 2 : l.span == 32 ? 3 : 0;
  const int k_extent = row_bytes / 2;
  uint64_t lbo, sbo;
  if (l.span == 16) {
    lbo = uint64_t(l.major == k_major ? mn * 16 : 128);
    sbo = uint64_t(l.major == k_major ? 128 : k_extent * 16);
    at += uint32_t(2 * lbo) * uint32_t(step);
  } else {
    sbo = uint64_t(8 * l.span);
    lbo = uint64_t(l.major == k_major ? 16 : k_extent * l.span);
    at += uint32_t(l.major == k_major ? step * 32 / l.span * mn * l.span + step * 32 % l.span : step * 16 * l.span);
  }
  return (at & 0x3ffff) >> 4 | (lbo >> 4) << 16 | (sbo >> 4) << 32 | mode << 62;
}

__device__ void store_word(unsigned char *out, int at, float value) { st_global_f32(out + 4 * at, value); }
__device__ void store_word(unsigned char *out, int at, int value) { st_global_b32(out + 4 * at, uint32_t(value)); }

// `operation` is a type with `static void apply(d, a, b)` for a descriptor or a fragment a.
template <typename D, int n, typename operation>
__global__ void __launch_bounds__(128) matmul_kernel(const unsigned char *in, unsigned char *out, layout a_layout,
                                                      layout b_layout, int a_in_registers) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base();
  const int t = int(threadIdx.x);
  fill_operand(base + a_shared, a_layout, 64, in);
  fill_operand(base + b_shared, b_layout, n, in + b_input);
  fence_proxy_async();
  __syncthreads();
  D d[n / 2];
#pragma unroll
  for (int i = 0; i < n / 2; ++i)
    d[i] = D(i % 3);
  const int row = 16 * (t / 32) + t % 32 / 4;
  uint32_t fragments[4][4];
#pragma unroll
  for (int step = 0; step < 4; ++step)
#pragma unroll
    for (int r = 0; r < 4; ++r)
      fragments[step][r] =
          ld_global_b32(in + (row + 8 * (r % 2)) * row_bytes + 32 * step + 16 * (r / 2) + 4 * (t % 4));
  wgmma_fence();
  if (a_in_registers) {
#pragma unroll
    for (int step = 0; step < 4; ++step)
      operation::apply(d, fragments[step], descriptor(base + b_shared, b_layout, n, step));
  } else {
#pragma unroll
    for (int step = 0; step < 4; ++step)
      operation::apply(d, descriptor(base + a_shared, a_layout, 64, step),
                       descriptor(base + b_shared, b_layout, n, step));
  }
  wgmma_commit();
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < n / 2; ++i)
    store_word(out, (row + 8 * (i / 2 % 2)) * n + 8 * (i / 4) + 2 * (t % 4) + i % 2, d[i]);
}

// The 16-bit types: A in registers ignores a_major.
#define OPERATION_16(T)                                                                                                \
  template <wgmma_major a_major, wgmma_major b_major> struct operation_##T {                                           \
    template <int registers> __device__ static void apply(float (&d)[registers], uint64_t a, uint64_t b) {             \
      wgmma_f32_##T<a_major, b_major>(d, a, b, true);                                                                  \
    }                                                                                                                  \
    template <int registers> __device__ static void apply(float (&d)[registers], const uint32_t (&a)[4], uint64_t b) { \
      wgmma_f32_##T<b_major>(d, a, b, true);                                                                           \
    }                                                                                                                  \
  };
OPERATION_16(bf16)
OPERATION_16(f16)

// A negated.
struct operation_negated {
  template <int registers> __device__ static void apply(float (&d)[registers], uint64_t a, uint64_t b) {
    wgmma_f32_bf16<k_major, mn_major, -1>(d, a, b, true);
  }
  template <int registers> __device__ static void apply(float (&d)[registers], const uint32_t (&a)[4], uint64_t b) {
    wgmma_f32_bf16<mn_major, -1>(d, a, b, true);
  }
};
struct operation_negated_e4m3 {
  template <int registers, typename A> __device__ static void apply(float (&d)[registers], const A &a, uint64_t b) {
    wgmma_f32_e4m3<-1>(d, a, b, true);
  }
};

#define OPERATION(name, D)                                                                                             \
  struct operation_##name {                                                                                            \
    template <int registers, typename A> __device__ static void apply(D(&d)[registers], const A &a, uint64_t b) {      \
      wgmma_##name(d, a, b, true);                                                                                     \
    }                                                                                                                  \
  };
OPERATION(f32_tf32, float)
OPERATION(f32_e4m3, float)
OPERATION(f32_e4m3_e5m2, float)
OPERATION(f32_e5m2_e4m3, float)
OPERATION(f32_e5m2, float)
OPERATION(s32_s8, int)
OPERATION(s32_s8_u8, int)
OPERATION(s32_u8_s8, int)
OPERATION(s32_u8, int)

template <typename D, int n, typename operation>
static void matmul(const std::string &name, element a, element b, layout a_layout, layout b_layout, bool registers) {
  fill(a, 0, b_input);
  fill(b, b_input, n * row_bytes);
  run(name, 64 * n * 4, {128, matmul_shared}, matmul_kernel<D, n, operation>, (const unsigned char *)device_input,
      device_output, a_layout, b_layout, int(registers));
}

template <wgmma_major am, wgmma_major bm> static void descriptor_modes() {
  for (int a : {16, 32, 64, 128})
    for (int b : {16, 32, 64, 128}) {
      const std::string name = std::string("wgmma/descriptor/") + (am == k_major ? "k" : "mn") + std::to_string(a) +
                               "x" + (bm == k_major ? "k" : "mn") + std::to_string(b);
      matmul<float, 64, operation_bf16<am, bm>>(name, bf16_, bf16_, {a, am}, {b, bm}, false);
    }
}

template <int n> static void widths() {
  matmul<float, n, operation_bf16<k_major, k_major>>("wgmma/width/" + std::to_string(n), bf16_, bf16_, {128, k_major},
                                                      {128, k_major}, false);
  if constexpr (n > 8)
    widths<n - 8>();
}

template <typename D, typename operation> static void narrow(const char *name, element a, element b) {
  for (int span : {16, 32, 64, 128})
    matmul<D, 48, operation>(std::string("wgmma/") + name + "/swizzle" + std::to_string(span), a, b, {span, k_major},
                              {span, k_major}, false);
  matmul<D, 48, operation>(std::string("wgmma/") + name + "/registers", a, b, {16, k_major}, {128, k_major}, true);
}

static void matmuls() {
  descriptor_modes<k_major, k_major>();
  descriptor_modes<k_major, mn_major>();
  descriptor_modes<mn_major, k_major>();
  descriptor_modes<mn_major, mn_major>();
  widths<256>();
  const layout k128 = {128, k_major}, mn128 = {128, mn_major};
  matmul<float, 128, operation_bf16<k_major, k_major>>("wgmma/bf16/registers_k", bf16_, bf16_, k128, k128, true);
  matmul<float, 128, operation_bf16<k_major, mn_major>>("wgmma/bf16/registers_mn", bf16_, bf16_, k128, mn128, true);
  matmul<float, 128, operation_f16<k_major, k_major>>("wgmma/f16/registers_k", f16_, f16_, k128, k128, true);
  matmul<float, 128, operation_f16<k_major, mn_major>>("wgmma/f16/registers_mn", f16_, f16_, k128, mn128, true);
  matmul<float, 128, operation_f16<mn_major, mn_major>>("wgmma/f16/shared", f16_, f16_, mn128, mn128, false);
  matmul<float, 128, operation_negated>("wgmma/bf16/negated", bf16_, bf16_, k128, mn128, false);
  matmul<float, 128, operation_negated>("wgmma/bf16/registers_negated", bf16_, bf16_, k128, mn128, true);
  narrow<float, operation_negated_e4m3>("e4m3_negated", e4m3_, e4m3_);
  narrow<float, operation_f32_tf32>("tf32", tf32_, tf32_);
  narrow<float, operation_f32_e4m3>("e4m3", e4m3_, e4m3_);
  narrow<float, operation_f32_e4m3_e5m2>("e4m3_e5m2", e4m3_, e5m2_);
  narrow<float, operation_f32_e5m2_e4m3>("e5m2_e4m3", e5m2_, e4m3_);
  narrow<float, operation_f32_e5m2>("e5m2", e5m2_, e5m2_);
  narrow<int, operation_s32_s8>("s8", s8_, s8_);
  narrow<int, operation_s32_s8_u8>("s8_u8", s8_, u8_);
  narrow<int, operation_s32_u8_s8>("u8_s8", u8_, s8_);
  narrow<int, operation_s32_u8>("u8", u8_, u8_);
}

// Values with all their bits: sums are rounded, and differently.
static void roundings() {
  const auto random_rows = [](element type) {
    for (int i = 0; i < b_input + 64 * row_bytes; i += size_of(type)) {
      const float value = (float(next_random() % 65536) - 32768) / 8192;
      uint32_t bits;
      memcpy(&bits, &value, 4);
      bits = type == bf16_ ? bits >> 16 : bits;
      memcpy(input + i, &bits, size_t(size_of(type)));
    }
  };
  random_rows(bf16_);
  run("rounding/bf16", 64 * 64 * 4, {128, matmul_shared},
      matmul_kernel<float, 64, operation_bf16<k_major, k_major>>, (const unsigned char *)device_input, device_output,
      layout{128, k_major}, layout{128, k_major}, 0);
  random_rows(tf32_);
  run("rounding/tf32", 64 * 48 * 4, {128, matmul_shared}, matmul_kernel<float, 48, operation_f32_tf32>,
      (const unsigned char *)device_input, device_output, layout{128, k_major}, layout{128, k_major}, 0);
}

// ---- one warp --------------------------------------------------------------------------------

#define MMA_KERNEL(name, D)                                                                                            \
  __global__ void kernel_##name(const unsigned char *in, unsigned char *out) {                                         \
    griddepcontrol_wait();                                                                                             \
    const int g = int(threadIdx.x) / 4, q = int(threadIdx.x) % 4;                                                      \
    uint32_t a[4], b[2];                                                                                               \
    for (int r = 0; r < 4; ++r)                                                                                        \
      a[r] = ld_global_b32(in + (g + 8 * (r % 2)) * 32 + 16 * (r / 2) + 4 * q);                                        \
    for (int r = 0; r < 2; ++r)                                                                                        \
      b[r] = ld_global_b32(in + 512 + g * 32 + 16 * r + 4 * q);                                                        \
    D d[4] = {D(1), D(2), D(3), D(4)};                                                                                 \
    name(d, a, b);                                                                                                     \
    for (int i = 0; i < 4; ++i)                                                                                        \
      store_word(out, (g + 8 * (i / 2)) * 8 + 2 * q + i % 2, d[i]);                                                    \
  }                                                                                                                    \
  static void run_##name(element a, element b) {                                                                       \
    fill(a, 0, 512);                                                                                                   \
    fill(b, 512, 256);                                                                                                 \
    run("mma/" #name, 512, {}, kernel_##name, (const unsigned char *)device_input, device_output);                     \
  }

MMA_KERNEL(mma_f32_bf16, float)
MMA_KERNEL(mma_f32_f16, float)
MMA_KERNEL(mma_f32_tf32, float)
MMA_KERNEL(mma_f32_e4m3, float)
MMA_KERNEL(mma_f32_e4m3_e5m2, float)
MMA_KERNEL(mma_f32_e5m2_e4m3, float)
MMA_KERNEL(mma_f32_e5m2, float)
MMA_KERNEL(mma_s32_s8, int)
MMA_KERNEL(mma_s32_s8_u8, int)
MMA_KERNEL(mma_s32_u8_s8, int)
MMA_KERNEL(mma_s32_u8, int)

// Matrices: stored and loaded in each form; `form` is 1, 2 or 4 matrices, negative if transposed.
__global__ void matrix_kernel(unsigned char *out, int form, int store) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), base = shared_memory_base(), row = base + 16 * lane;
  uint32_t r[4] = {lane * 4 + 1, lane * 4 + 2, lane * 4 + 3, lane * 4 + 4};
  st_shared_v4_b32(row, lane * 16 + 1, lane * 16 + 2, lane * 16 + 3, lane * 16 + 4);
  __syncwarp();
  if (store) {
    if (form == 1)
      stmatrix_x1(row, r[0]);
    else if (form == 2)
      stmatrix_x2(row, r[0], r[1]);
    else if (form == 4)
      stmatrix_x4(row, r[0], r[1], r[2], r[3]);
    else if (form == -1)
      stmatrix_x1_trans(row, r[0]);
    else if (form == -2)
      stmatrix_x2_trans(row, r[0], r[1]);
    else
      stmatrix_x4_trans(row, r[0], r[1], r[2], r[3]);
    __syncwarp();
    ld_shared_v4_b32(row, r[0], r[1], r[2], r[3]);
  } else if (form == 1) {
    ldmatrix_x1(row, r[0]);
  } else if (form == 2) {
    ldmatrix_x2(row, r[0], r[1]);
  } else if (form == 4) {
    ldmatrix_x4(row, r[0], r[1], r[2], r[3]);
  } else if (form == -1) {
    ldmatrix_x1_trans(row, r[0]);
  } else if (form == -2) {
    ldmatrix_x2_trans(row, r[0], r[1]);
  } else if (form == -4) {
    ldmatrix_x4_trans(row, r[0], r[1], r[2], r[3]);
  } else {
    r[0] = movmatrix_trans(r[0]);
  }
  st_global_v4_b32(out + 16 * lane, r[0], r[1], r[2], r[3]);
}

__global__ void shuffle_kernel(unsigned char *out, int form, int lanes) {
  griddepcontrol_wait();
  const int lane = int(lane_index()), value = lane * lane - 100;
  int result = 0;
  if (form < 4) {
    const int width = lanes > 15 ? 32 : lanes > 7 ? 16 : 8;
    result = form == 0   ? __shfl_xor_sync(0xffffffff, value, lanes, width)
             : form == 1 ? __shfl_up_sync(0xffffffff, value, lanes, width)
             : form == 2 ? __shfl_down_sync(0xffffffff, value, lanes, width)
                         : __shfl_sync(0xffffffff, value, lanes, width);
  } else if (form == 4) {
    result = int(tk::ballot(value % lanes == 0)) + any_lane(lane == lanes) + 2 * every_lane(lane < lanes);
  } else {
    const uint32_t mask = lane < 12 ? 0xfff : 0xfffff000;
    result = redux_add(value) + redux_min(value * lanes) + redux_max(value) + __reduce_add_sync(mask, value) +
             __shfl_sync(mask, value, lane < 12 ? lanes % 12 : 12 + lanes % 20);
  }
  st_global_b32(out + 4 * lane, uint32_t(result));
}

__global__ void conversion_kernel(const unsigned char *in, unsigned char *out, int form) {
  griddepcontrol_wait();
  const int lane = int(lane_index());
  float low, high;
  ld_global_v2_f32(in + 8 * lane, low, high);
  const uint32_t pair = form % 2 == 0 ? cvt_bf16x2(low, high) : cvt_f16x2(low, high);
  st_global_b32(out + 4 * lane, pair);
  st_global_v2_f32(out + 128 + 8 * lane, form % 2 == 0 ? bf16_low(pair) : f16_low(pair),
                   form % 2 == 0 ? bf16_high(pair) : f16_high(pair));
}

// Packed arithmetic of any bits: of numbers, subnormal ones too, infinities and NaN.
__global__ void packed_kernel(const unsigned char *in, unsigned char *out) {
  griddepcontrol_wait();
  for (int i = int(threadIdx.x); i < packed_count; i += int(blockDim.x)) {
    const uint32_t a = ld_global_b32(in + 12 * i), b = ld_global_b32(in + 12 * i + 4), c = ld_global_b32(in + 12 * i + 8);
    st_global_b32(out + 8 * i, fma_bf16x2(a, b, c));
    st_global_b32(out + 8 * i + 4, mul_bf16x2(a, b));
  }
}

__global__ void access_kernel(const unsigned char *in, unsigned char *out) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), base = shared_memory_base();
  st_shared_b8(base + lane, ld_global_b8(in + lane));
  st_shared_b16(base + 64 + 2 * lane, ld_global_b16(in + 2 * lane));
  st_shared_b32(base + 128 + 4 * lane, ld_global_b32(in + 4 * lane));
  __syncwarp();
  st_global_b8(out + lane, ld_shared_b8(base + 31 - lane));
  st_global_b16(out + 64 + 2 * lane, ld_shared_b16(base + 64 + 62 - 2 * lane));
  uint32_t r0, r1;
  ld_shared_v2_b32(base + 128 + 8 * (lane % 16), r0, r1);
  st_global_v2_b32(out + 128 + 8 * lane, r1, r0);
}

__global__ void atomic_kernel(unsigned char *out, int form) {
  griddepcontrol_wait();
  const uint32_t lane = lane_index(), base = shared_memory_base();
  if (lane == 0)
    st_shared_b32(base, 0);
  __syncwarp();
  const uint32_t one = form == 1 ? 0x40003c00u : 0x40003f80u; // f16 (1, 2), bf16 (1, 2)
  if (form == 0)
    red_global_add_f32(out, float(lane));
  else if (form == 1)
    red_global_add_f16x2(out, one);
  else if (form == 2)
    red_global_add_bf16x2(out, one);
  else if (form == 3)
    red_global_add_v4_f32(out, 1, 2, 3, float(lane));
  else if (form == 4)
    red_global_add_v4_bf16x2(out, one, one, one, 0);
  else if (form == 5)
    red_global_add_v2_f16x2(out, 0x40003c00u, 0);
  else if (form == 6)
    atom_global_max_s32(out, int(lane) - 40), atom_global_min_s32(out + 4, int(lane) - 40);
  else if (form == 7)
    atom_global_cas_b32(out + 4 * lane, lane % 2, 100 + lane), atom_global_add_s32(out + 256, -1);
  else
    atom_shared_add_u32(base, lane);
  __syncwarp();
  if (lane == 0 && form == 8)
    st_global_b32(out, ld_shared_b32(base));
}

// What waiting for either parity answers before and after each of `steps` arrivals.
__global__ void phase_kernel(unsigned char *out, int count, int steps) {
  griddepcontrol_wait();
  const uint32_t base = shared_memory_base();
  if (threadIdx.x == 0) {
    mbarrier_init(base, uint32_t(count));
    fence_mbarrier_init();
    for (int i = 0; i <= steps; ++i) {
      st_global_b8(out + 2 * i, mbarrier_try_wait_parity(base, 0));
      st_global_b8(out + 2 * i + 1, mbarrier_try_wait_parity(base, 1));
      mbarrier_arrive(base);
    }
  }
}

static void warps() {
  run_mma_f32_bf16(bf16_, bf16_), run_mma_f32_f16(f16_, f16_), run_mma_f32_tf32(tf32_, tf32_);
  run_mma_f32_e4m3(e4m3_, e4m3_), run_mma_f32_e4m3_e5m2(e4m3_, e5m2_), run_mma_f32_e5m2_e4m3(e5m2_, e4m3_);
  run_mma_f32_e5m2(e5m2_, e5m2_), run_mma_s32_s8(s8_, s8_), run_mma_s32_s8_u8(s8_, u8_);
  run_mma_s32_u8_s8(u8_, s8_), run_mma_s32_u8(u8_, u8_);
  for (int form : {1, 2, 4, -1, -2, -4}) {
    const std::string name = std::to_string(abs(form)) + (form < 0 ? "_trans" : "");
    run("matrix/ldmatrix_x" + name, 512, {}, matrix_kernel, device_output, form, 0);
    run("matrix/stmatrix_x" + name, 512, {}, matrix_kernel, device_output, form, 1);
  }
  run("matrix/movmatrix", 512, {}, matrix_kernel, device_output, 0, 0);
  const char *const forms[] = {"xor", "up", "down", "idx", "vote", "redux"};
  for (int form = 0; form < 6; ++form)
    for (int lanes : {1, 3, 8, 31})
      run(std::string("shuffle/") + forms[form] + std::to_string(lanes), 128, {}, shuffle_kernel, device_output, form,
          lanes);
  const float edges[64] = {0,       -0.0f,   1,        -1,       1.00390625f, 1.01171875f, 65504,  65519.99f,
                           65520,   -65536,  6e-8f,    2.9e-8f,  3.0e-8f,     1e-40f,      3.4e38f, -3.39e38f,
                           0.3f,    1e-5f,   6.1e-5f,  6.0e-5f,  1234.567f,   -0.001f,     100000,  1e20f,
                           INFINITY, -INFINITY, 2049, 2051};
  memcpy(input, edges, sizeof edges);
  for (int i = 28; i < 64; ++i) {
    const float value = (float(next_random()) - 1e9f) * 1e-6f;
    memcpy(input + 4 * i, &value, 4);
  }
  run("convert/bf16", 384, {}, conversion_kernel, (const unsigned char *)device_input, device_output, 0);
  run("convert/f16", 384, {}, conversion_kernel, (const unsigned char *)device_input, device_output, 1);
  for (int i = 0; i < 3 * packed_count; ++i) {
    const uint32_t bits = next_random();
    const uint32_t pair = i / 3 % 2 ? bits : (bits & 0x83ff83ff) | 0x3c003c00; // any bits; sizes of 2^-7 to 2
    memcpy(input + 4 * i, &pair, 4);
  }
  run("convert/packed", packed_count * 8, {}, packed_kernel, (const unsigned char *)device_input, device_output);
  fill(u8_, 0, 256);
  run("memory/accesses", 384, {}, access_kernel, (const unsigned char *)device_input, device_output);
  for (int form = 0; form < 9; ++form)
    run("atomic/" + std::to_string(form), 512, {}, atomic_kernel, device_output, form);
  for (int count : {1, 2, 3, 7})
    run("mbarrier/phases" + std::to_string(count), 32, {}, phase_kernel, device_output, count, 12);
}

#include "conformance_tma.h"
#include "conformance_wrappers.h"

int main(int count, char **arguments) {
  if (count < 2 || !(dump = fopen(arguments[1], "wb"))) {
    fprintf(stderr, "usage: conformance OUTPUT [PREFIX]\n");
    return 2;
  }
  if (count > 2)
    only = arguments[2];
  allocate();
  matmuls();
  roundings();
  warps();
  boxes();
  clusters();
  wrappers();
  fclose(dump);
  printf("%d cases, %d failures\n", cases, failures);
  return failures != 0;
}
