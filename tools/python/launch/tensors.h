//===- tensors.h - A Python object as a tk_tensor -------------------------===//
#ifndef TKC_LAUNCH_TENSORS_H
#define TKC_LAUNCH_TENSORS_H

#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "dlpack.h"
#include <host/abi.h>

namespace launch {

struct lent_tensor {
  int device;                          // -1 is the CPU
  const dlpack::exchange_table *table; // null: the library has none
  PyObject *keeper;                    // what must live as long as the view; may be null
};

// What Python has told the module: functions to call, each may be null.
struct python_hooks {
  PyObject *new_type;       // (type) -> None, or a sentence why it is refused
  PyObject *allocation;     // (like, dtype, extents) -> function, arguments and keywords
  PyObject *current_stream; // (device) -> int, where a library has no exchange table
  PyObject *torch_types;    // a tuple: those that torch_tensors.h may read
  PyObject *grad_enabled;   // () -> bool
  PyObject *launch_error;   // the exception
};
extern python_hooks hooks;

// Once, before anything is borrowed.
void intern_attributes();

// Reads `object`, the argument `name` of `function`, as `view`. Tensors that require grad are
// refused while grad mode is on, but below autograd, where an operator of torch has taken care of
// it. False with an exception set.
bool borrow(const char *function, const char *name, const char *dtype, PyObject *object,
            bool is_below_autograd, tk_tensor &view, lent_tensor &result);

} // namespace launch

#endif // TKC_LAUNCH_TENSORS_H
