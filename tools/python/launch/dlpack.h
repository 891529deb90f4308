//===- dlpack.h - How array libraries lend their tensors ------------------===//
//
// The part of DLPack 1.1 that a launch reads, as its specification lays it out
// (https://dmlc.github.io/dlpack/latest/c_api.html). The exchange table is found
// on a tensor's type, and costs no Python object per tensor.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_LAUNCH_DLPACK_H
#define TKC_LAUNCH_DLPACK_H

#include <stdint.h>

namespace dlpack {

enum device_type : int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum type_code : uint8_t { integer = 0, floating = 2, bfloat = 4, e4m3fn = 10, e5m2 = 12 };

struct tensor {
  void *data;
  device_type device;
  int32_t device_number;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *extents, *strides; // null strides: the rows follow one another
  uint64_t offset;
};

struct managed_tensor { // "dltensor"
  tensor view;
  void *context;
  void (*deleter)(managed_tensor *);
};

struct version {
  uint32_t major, minor;
};

struct versioned_tensor { // "dltensor_versioned"
  dlpack::version version;
  void *context;
  void (*deleter)(versioned_tensor *);
  uint64_t flags;
  tensor view;
};

struct exchange_table {
  dlpack::version version;
  const exchange_table *older;
  void *allocate, *lend_managed, *take_managed;
  int (*lend)(void *object, tensor *view);
  int (*current_stream)(device_type type, int32_t device, void **stream);
};

} // namespace dlpack

#endif // TKC_LAUNCH_DLPACK_H
