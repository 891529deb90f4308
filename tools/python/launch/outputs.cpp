//===- outputs.cpp - Outputs that a call leaves out ------------------------===//
#include "outputs.h"

#include "driver.h"

#include <initializer_list>
#include <string.h>

using namespace launch;

// The extents of an output that is to be made, from those of tensors that are given.
static bool infer(const function_object &self, int index, const binding &given,
                  const launch::call &with, int64_t *extents) {
  const argument &of = self.plan.arguments[index];
  for (int i = 0; i < of.rank; ++i) {
    const inferred_extent &from = self.inferred[index].extents[i];
    extents[i] = from.constant;
    for (int k = 0; k < from.count && extents[i] < 0; ++k) {
      const int source = from.sources[k] / TK_MAX_RANK, dim = from.sources[k] % TK_MAX_RANK;
      if (given.objects[source] && !given.is_made[source] && dim < with.tensors[source].rank)
        extents[i] = with.tensors[source].extents[dim];
    }
    if (extents[i] < 0) {
      PyErr_Format(PyExc_TypeError,
                   "%s: %s cannot be made, since no given tensor has the extent of its dimension "
                   "%d; pass it",
                   self.plan.name, of.name, i);
      return false;
    }
  }
  return true;
}

void launch::forget(known_allocation &of) {
  for (PyObject **each : {&of.type, &of.function, &of.arguments, &of.keywords}) {
    Py_XDECREF(*each);
    *each = nullptr;
  }
}

// Asks Python how such an output is made.
static bool learn(const argument &of, PyObject *like, int device, bool is_current,
                  const int64_t *extents, known_allocation &to) {
  forget(to);
  if (!hooks.allocation) {
    PyErr_SetString(PyExc_RuntimeError, "tkc._launch has no allocator; import tkc");
    return false;
  }
  PyObject *shape = PyTuple_New(of.rank), *dtype = PyLong_FromLong(of.dtype), *answer = nullptr;
  for (int i = 0; shape && i < of.rank; ++i)
    PyTuple_SetItem(shape, i, PyLong_FromLongLong(extents[i]));
  if (shape && dtype)
    answer = PyObject_CallFunctionObjArgs(hooks.allocation, like, dtype, shape,
                                          is_current ? Py_True : Py_False, nullptr);
  Py_XDECREF(shape);
  Py_XDECREF(dtype);
  PyObject *function, *arguments, *keywords;
  const bool ok = answer && PyArg_ParseTuple(answer, "OO!O!", &function, &PyTuple_Type, &arguments,
                                             &PyDict_Type, &keywords);
  if (ok) {
    for (PyObject *each : {function, arguments, keywords})
      Py_INCREF(each);
    to = {reinterpret_cast<PyObject *>(Py_TYPE(like)),
          device,
          is_current,
          {},
          function,
          arguments,
          keywords};
    Py_INCREF(to.type);
    memcpy(to.extents, extents, size_t(of.rank) * sizeof(*extents));
  }
  Py_XDECREF(answer);
  return ok;
}

PyObject *launch::make_output(function_object &self, int index, const binding &given,
                              const call &with, PyObject *like, int device) {
  int64_t extents[TK_MAX_RANK];
  if (!infer(self, index, given, with, extents))
    return nullptr;
  const argument &of = self.plan.arguments[index];
  known_allocation &known = self.allocations[index];
  // Memory of the current device is found sooner.
  int current = -1;
  const bool is_current =
      device >= 0 && has_driver && driver.cuCtxGetDevice(&current) == 0 && current == device;
  const bool is_known = known.type == reinterpret_cast<PyObject *>(Py_TYPE(like)) &&
                        known.device == device && known.is_current == is_current &&
                        memcmp(known.extents, extents, size_t(of.rank) * sizeof(*extents)) == 0;
  if (!is_known && !learn(of, like, device, is_current, extents, known))
    return nullptr;
  PyObject *function = known.function, *arguments = known.arguments, *keywords = known.keywords;
  for (PyObject *each : {function, arguments, keywords}) // another thread may learn meanwhile
    Py_INCREF(each);
  PyObject *result = PyObject_Call(function, arguments, keywords);
  for (PyObject *each : {function, arguments, keywords})
    Py_DECREF(each);
  return result;
}
