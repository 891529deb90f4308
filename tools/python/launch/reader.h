//===- reader.h - A launch plan from Python's tuples ----------------------===//
#ifndef TKC_LAUNCH_READER_H
#define TKC_LAUNCH_READER_H

#include "tensors.h"

#include "plan.h"

namespace launch {

// Of an output that may be left out: where the extents of a new one come from.
struct inferred_extent {
  int64_t constant; // or -1
  int32_t count;    // of sources, each argument * TK_MAX_RANK + dimension
  int32_t sources[16];
};

struct inferred_tensor {
  bool is_optional;
  inferred_extent extents[TK_MAX_RANK];
};

// What `tkc/plan.py` passes. False with an exception set.
bool read_function(PyObject *name, PyObject *arguments, PyObject *requirements, PyObject *kernels,
                   bool is_choice, PyObject *measured, function &result,
                   inferred_tensor *&inferred);

void free_function(function &of);

} // namespace launch

#endif // TKC_LAUNCH_READER_H
