// helpers.cu - What the runner of a bundle does on the GPU beside the kernels: inputs, and comparing outputs.
//
// A tensor is `rows` rows of `columns` elements, `stride` elements apart.

typedef unsigned long long u64;

enum dtype { bf16, f16, f32, e4m3, e5m2, i8, i32 };

__device__ float decoded(const void *data, u64 i, int type) {
  float value = 0;
  if (type == f32)
    return static_cast<const float *>(data)[i];
  if (type == i32)
    return float(static_cast<const int *>(data)[i]);
  if (type == i8)
    return float(static_cast<const signed char *>(data)[i]);
  if (type == bf16)
    return __uint_as_float(unsigned(static_cast<const unsigned short *>(data)[i]) << 16);
  if (type == f16) {
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<const unsigned short *>(data)[i]));
    return value;
  }
  const unsigned short pair = static_cast<const unsigned char *>(data)[i];
  unsigned halves;
  if (type == e4m3)
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(pair));
  else
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"(pair));
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"((unsigned short)halves));
  return value;
}

__device__ void store(void *data, u64 i, int type, float value) {
  unsigned short bits;
  if (type == f32)
    static_cast<float *>(data)[i] = value;
  else if (type == i32)
    static_cast<int *>(data)[i] = int(value);
  else if (type == i8)
    static_cast<signed char *>(data)[i] = (signed char)(int)value;
  else if (type == bf16) {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    static_cast<unsigned short *>(data)[i] = bits;
  } else if (type == f16) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    static_cast<unsigned short *>(data)[i] = bits;
  } else {
    if (type == e4m3)
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(0.0f), "f"(value));
    else
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(0.0f), "f"(value));
    static_cast<unsigned char *>(data)[i] = (unsigned char)bits;
  }
}

// splitmix64: a stream of its own for each element.
__device__ u64 mixed(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// Normally distributed, or uniform from low to high if `has_range`; integers then include both.
extern "C" __global__ void tkc_fill(void *data, u64 count, int type, u64 seed, int has_range, float low, float high) {
  for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < count; i += u64(gridDim.x) * blockDim.x) {
    const u64 bits = mixed(seed * 0x100000001b3ull + i);
    const float a = (unsigned(bits) + 0.5f) * 2.3283064e-10f, b = (unsigned(bits >> 32) + 0.5f) * 2.3283064e-10f;
    float value = sqrtf(-2 * logf(fminf(a, 0.99999994f))) * cospif(2 * b);
    if (type == i8 || type == i32)
      value = has_range ? fminf(high, floorf(low + a * (high - low + 1))) : rintf(2 * value);
    else if (has_range)
      value = low + a * (high - low);
    store(data, i, type, value);
  }
}

struct result {
  double squares; // of the finite elements of `wanted`
  u64 finite, wrong, first;
  float worst;   // of the differences between finite elements, over what is allowed
  float largest; // magnitude of a finite element of `wanted`
};

extern "C" __global__ void tkc_squares(const void *wanted, u64 rows, u64 columns, u64 stride, int type, result *out) {
  double sum = 0;
  float largest = 0;
  u64 finite = 0;
  for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < rows * columns; i += u64(gridDim.x) * blockDim.x) {
    const float value = decoded(wanted, i / columns * stride + i % columns, type);
    if (value - value == 0) {
      sum += double(value) * value;
      largest = fmaxf(largest, fabsf(value));
      ++finite;
    }
  }
  atomicAdd(&out->squares, sum);
  atomicAdd(&out->finite, finite);
  atomicMax(reinterpret_cast<int *>(&out->largest), __float_as_int(largest)); // not negative: ordered as integers
}

// An element may differ by `tolerance` of itself and of the root mean square, as in compiler/run/Comparison.cpp, and by half
// the spacing at the largest element: where few terms outweigh the rest of a row, as in a softmax, what is rounded is as large
// as the row's terms, however small their sum.
extern "C" __global__ void tkc_compare(const void *got, const void *wanted, u64 rows, u64 columns, u64 stride, int type,
                                       float spacing, float tolerance, result *out) {
  const float mean = float(sqrt(out->squares / double(out->finite ? out->finite : 1)));
  const float relative = tolerance + spacing, absolute = fmaxf(tolerance * mean, 0.5f * spacing * out->largest);
  const int size = type == f32 || type == i32 ? 4 : type == bf16 || type == f16 ? 2 : 1;
  for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < rows * columns; i += u64(gridDim.x) * blockDim.x) {
    const u64 at = i / columns * stride + i % columns;
    bool is_same = true;
    for (int byte = 0; byte < size; ++byte)
      is_same = is_same && static_cast<const char *>(got)[at * size + byte] == static_cast<const char *>(wanted)[at * size + byte];
    if (is_same)
      continue;
    const float a = decoded(got, at, type), b = decoded(wanted, at, type);
    const float allowed = type == i8 || type == i32 ? 1 : relative * fabsf(b) + absolute, difference = fabsf(a - b);
    if (difference <= allowed) {
      atomicMax(reinterpret_cast<int *>(&out->worst), __float_as_int(difference / allowed));
      continue;
    }
    atomicAdd(&out->wrong, 1ull);
    atomicMin(&out->first, i);
  }
}
