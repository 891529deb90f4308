/* memory.c - With ON_GPU on the device, else in this program. */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ON_GPU
#include <cuda_runtime_api.h>

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
  exit(1);
}
static void *allocate(size_t bytes) {
  void *data = NULL;
  check(cudaMalloc(&data, bytes));
  check(cudaMemset(data, 0, bytes));
  return data;
}
static void release(void *data) { cudaFree(data); }
static void copy(void *to, const void *from, size_t bytes) { check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault)); }
#else
static void *allocate(size_t bytes) {
  void *data = aligned_alloc(1024, (bytes + 1023) / 1024 * 1024);
  if (!data) {
    fprintf(stderr, "there is no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memset(data, 0, bytes);
}
static void release(void *data) { free(data); }
static void copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
#endif

static size_t element_bytes(const tk_tensor *tensor) { return tensor->dtype == TK_F32 ? 4 : 2; }

static int64_t row_count(const tk_tensor *tensor) {
  int64_t rows = 1;
  for (int dim = 0; dim + 1 < tensor->rank; ++dim)
    rows *= tensor->extents[dim];
  return rows;
}

static size_t row_stride(const tk_tensor *tensor) { return (size_t)tensor->strides[tensor->rank - 2]; }

tk_tensor make_tensor(tk_dtype type, int rank, const int64_t *extents) {
  tk_tensor tensor = {NULL, type, rank, {0}, {0}};
  int64_t unit = 16 / (int64_t)element_bytes(&tensor);
  int64_t stride = (extents[rank - 1] + unit - 1) / unit * unit;
  tensor.strides[rank - 1] = 1;
  for (int dim = rank - 1; dim >= 0; --dim) {
    tensor.extents[dim] = extents[dim];
    if (dim == rank - 1)
      continue;
    tensor.strides[dim] = stride;
    stride *= extents[dim];
  }
  tensor.data = allocate((size_t)stride * element_bytes(&tensor));
  return tensor;
}

void free_tensor(tk_tensor *tensor) {
  release(tensor->data);
  tensor->data = NULL;
}

/* bf16 is the upper half of a float, rounded to the nearest, ties to even. */
static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static float from_bf16(uint16_t half) {
  uint32_t bits = (uint32_t)half << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

void write_tensor(const tk_tensor *tensor, const float *values) {
  int64_t columns = tensor->extents[tensor->rank - 1], rows = row_count(tensor);
  size_t bytes = (size_t)rows * row_stride(tensor) * element_bytes(tensor);
  char *image = calloc(bytes ? bytes : 1, 1);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      float value = values[row * columns + column];
      size_t at = (size_t)row * row_stride(tensor) + (size_t)column;
      if (tensor->dtype == TK_F32)
        ((float *)image)[at] = value;
      else
        ((uint16_t *)image)[at] = to_bf16(value);
    }
  copy(tensor->data, image, bytes);
  free(image);
}

void read_tensor(const tk_tensor *tensor, float *values) {
  int64_t columns = tensor->extents[tensor->rank - 1], rows = row_count(tensor);
  size_t bytes = (size_t)rows * row_stride(tensor) * element_bytes(tensor);
  char *image = malloc(bytes ? bytes : 1);
  copy(image, tensor->data, bytes); /* waits for the kernels before it */
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      size_t at = (size_t)row * row_stride(tensor) + (size_t)column;
      values[row * columns + column] =
          tensor->dtype == TK_F32 ? ((float *)image)[at] : from_bf16(((uint16_t *)image)[at]);
    }
  free(image);
}
