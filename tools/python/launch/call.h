//===- call.h - A call from Python -----------------------------------------===//
#ifndef TKC_LAUNCH_CALL_H
#define TKC_LAUNCH_CALL_H

#include "binding.h"

namespace launch {

// Of a function object. Below autograd tensors may require grad; regrouping() also takes elements
// in a row, grouped as the kernel has them.
PyObject *call_vector(PyObject *object, PyObject *const *values, size_t flags, PyObject *names);
PyObject *call_tuple(PyObject *object, PyObject *arguments, PyObject *keywords);
PyObject *call_below_autograd(PyObject *object, PyObject *const *values, Py_ssize_t count,
                              PyObject *names);
PyObject *call_regrouping(PyObject *object, PyObject *const *values, Py_ssize_t count,
                          PyObject *names);

// Sets a tensor's bytes to 0 in its library's stream, before a kernel that adds to it. A memset of
// the driver takes a fifth of the time that torch.zeros takes.
PyObject *call_clear(PyObject *object, PyObject *tensor);

// Sees to machine code for a device, or for the CPU. False with an exception set.
bool get_ready(function_object *self, int device);

// Sets the exception of a status; false.
bool raise(const tk_status &status);

// This process is the child of one that uses CUDA.
extern bool is_forked;

} // namespace launch

#endif // TKC_LAUNCH_CALL_H
