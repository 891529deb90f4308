//===- call.cpp - A call from Python ---------------------------------------===//
//
// Binds the arguments, borrows the tensors, makes outputs that were left out, and
// runs what launch.cpp does. docs/python.md says what a caller sees.
//
//===----------------------------------------------------------------------===//
#include "call.h"

#include "launch.h"
#include "outputs.h"

#include <host/arguments.h>

#include <initializer_list>
#include <string.h>

using namespace launch;

bool launch::is_forked = false;

// The first tensor that was given: others must be where it is.
struct placement {
  bool is_below_autograd = false;
  bool may_regroup = false;
  int first = -1;
  int device = 0;
  const dlpack::exchange_table *table = nullptr;
};

static bool refuse_place(const function_object &self, int index, const lent_tensor &lent,
                         const placement &where) {
  auto spell = [](int device, char *text, size_t size) {
    device < 0 ? snprintf(text, size, "the CPU") : snprintf(text, size, "device %d", device);
  };
  char here[32], there[32];
  spell(lent.device, here, sizeof(here));
  spell(where.device, there, sizeof(there));
  PyErr_Format(PyExc_TypeError, "%s: tensor %s is on %s when %s is on %s; move one of them",
               self.plan.name, self.plan.arguments[index].name, here,
               self.plan.arguments[where.first].name, there);
  return false;
}

static bool place(const function_object &self, int index, const lent_tensor &lent,
                  placement &where) {
  if (where.first < 0) {
    where.first = index;
    where.device = lent.device;
    where.table = lent.table;
  }
  return where.device == lent.device || refuse_place(self, index, lent, where);
}

// Elements that follow one another may be grouped as the kernel has them, whose extents are
// constants but for the first: rows of a norm are matrices to it. Only for the package's own calls,
// which would make such a view first.
static void regroup(const argument &of, const inferred_tensor &extents, tk_tensor &tensor) {
  bool fits = tensor.rank == of.rank;
  for (int i = 0; fits && i < of.rank; ++i) {
    const int64_t constant = extents.extents[i].constant;
    fits = constant < 0 || constant == tensor.extents[i];
  }
  if (fits)
    return;
  int64_t elements = 1, each = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    if (tensor.strides[i] != elements && tensor.extents[i] != 1)
      return;
    elements *= tensor.extents[i];
  }
  for (int i = of.rank - 1; i >= 0; --i) {
    if (extents.extents[i].constant < 0 && i > 0)
      return;
    if (i > 0 || extents.extents[0].constant >= 0)
      each *= extents.extents[i].constant;
  }
  const bool is_open = extents.extents[0].constant < 0;
  if (each <= 0 || elements % each || (!is_open && elements != each))
    return;
  tensor.rank = of.rank;
  int64_t stride = 1;
  for (int i = of.rank - 1; i >= 0; --i) {
    tensor.extents[i] = i == 0 && is_open ? elements / each : extents.extents[i].constant;
    tensor.strides[i] = stride;
    stride *= tensor.extents[i];
  }
}

static bool borrow_argument(const function_object &self, int index, binding &given,
                            launch::call &with, placement &where) {
  const argument &of = self.plan.arguments[index];
  PyObject *object = given.objects[index];
  if (object == Py_None) {
    PyErr_Format(PyExc_TypeError, "%s: tensor %s is None; pass a tensor", self.plan.name, of.name);
    return false;
  }
  lent_tensor lent;
  // What was made here requires no grad.
  const bool ok =
      borrow(self.plan.name, of.name, dtype_name(of.dtype), object,
             where.is_below_autograd || given.is_made[index], with.tensors[index], lent);
  given.keepers[index] = lent.keeper;
  if (!ok || !place(self, index, lent, where))
    return false;
  if (where.may_regroup)
    regroup(of, self.inferred[index], with.tensors[index]);
  return true;
}

static bool find_stream(const function_object &self, const binding &given, const placement &where,
                        call &with) {
  if (where.device < 0)
    return true;
  if (given.stream && given.stream != Py_None) {
    PyObject *number = PyLong_Check(given.stream) ? given.stream : nullptr;
    Py_XINCREF(number);
    if (!number)
      number = PyObject_GetAttrString(given.stream, "cuda_stream"); // torch.cuda.Stream
    with.stream = number ? PyLong_AsVoidPtr(number) : nullptr;
    Py_XDECREF(number);
    if (!PyErr_Occurred())
      return true;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError,
                 "%s: stream should be a torch.cuda.Stream or the number of a cudaStream_t",
                 self.plan.name);
    return false;
  }
  if (where.table && where.table->current_stream)
    return where.table->current_stream(dlpack::cuda, where.device, &with.stream) == 0;
  if (!hooks.current_stream)
    return true; // the null stream
  PyObject *device = PyLong_FromLong(where.device);
  PyObject *number =
      device ? PyObject_CallFunctionObjArgs(hooks.current_stream, device, nullptr) : nullptr;
  Py_XDECREF(device);
  with.stream = number ? PyLong_AsVoidPtr(number) : nullptr;
  Py_XDECREF(number);
  return !PyErr_Occurred();
}

// What a caller can do about it, where the sentence speaks of memory.
static const char *remedy(const char *sentence) {
  for (const char *words :
       {"copy it to aligned memory", "make its rows contiguous", "pad its rows"})
    if (strstr(sentence, words))
      return " (tkc.aligned(x) makes such a copy)";
  return "";
}

bool launch::raise(const tk_status &status) {
  PyObject *kind = hooks.launch_error ? hooks.launch_error : PyExc_RuntimeError;
  PyObject *text = PyUnicode_FromFormat("%s%s", status.message, remedy(status.message));
  PyObject *error =
      text ? PyObject_CallFunction(kind, "Ois", text, int(status.code), status.message) : nullptr;
  if (error)
    PyErr_SetObject(kind, error);
  Py_XDECREF(text);
  Py_XDECREF(error);
  return false;
}

// Machine code is made, or read, when the first tensor on a GPU comes; the CPU's, when the first on
// the CPU does.
bool launch::get_ready(function_object *self, int device) {
  function &plan = self->plan;
  const char *missing = nullptr;
  if (device < 0)
    missing = plan.on_cpu ? nullptr : "_load_cpu";
  else {
    if (is_forked) {
      PyErr_Format(PyExc_RuntimeError,
                   "%s: this process was forked from one that uses CUDA, which CUDA does not "
                   "allow; start it by spawn",
                   plan.name);
      return false;
    }
    for (int i = 0; i < plan.kernel_count; ++i)
      missing = plan.kernels[i].cubin ? missing : "_load_gpu";
    missing = has_driver ? missing : "_load_gpu";
  }
  if (!missing)
    return true;
  PyObject *done = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), missing, nullptr);
  Py_XDECREF(done);
  return done != nullptr;
}

// Outputs in order; one by itself, none as None.
static PyObject *results(const function_object &self, const binding &given) {
  const int count = self.optional_count;
  if (count == 0)
    Py_RETURN_NONE;
  PyObject *tuple = count > 1 ? PyTuple_New(count) : nullptr;
  for (int i = 0, next = 0; i < self.plan.argument_count; ++i)
    if (self.inferred[i].is_optional) {
      Py_INCREF(given.objects[i]);
      if (!tuple)
        return given.objects[i];
      PyTuple_SetItem(tuple, next++, given.objects[i]);
    }
  return tuple;
}

static PyObject *call_with(PyObject *object, const given_values &values, placement where) {
  auto *self = reinterpret_cast<function_object *>(object);
  function &plan = self->plan;
  binding given(plan.argument_count);
  if (!bind(*self, values, given))
    return nullptr;
  launch::call with;
  for (int i = 0; i < plan.argument_count; ++i) {
    if (!given.objects[i])
      continue;
    const bool ok = plan.arguments[i].is_tensor
                        ? borrow_argument(*self, i, given, with, where)
                        : read_scalar(*self, plan.arguments[i], given.objects[i], with.scalars[i]);
    if (!ok)
      return nullptr;
  }
  for (int i = 0; i < plan.argument_count; ++i) {
    if (given.objects[i])
      continue;
    given.objects[i] =
        make_output(*self, i, given, with, where.first < 0 ? Py_None : given.objects[where.first],
                    where.device);
    given.is_made[i] = true;
    if (!given.objects[i] || !borrow_argument(*self, i, given, with, where))
      return nullptr;
  }
  with.device = where.device;
  if (!get_ready(self, where.device) || !find_stream(*self, given, where, with))
    return nullptr;
  Py_INCREF(object); // the interpreter is left meanwhile
  const tk_status status = run(plan, with);
  PyObject *answer = status.code == TK_OK ? results(*self, given) : nullptr;
  if (status.code != TK_OK)
    raise(status);
  Py_DECREF(object);
  return answer;
}

// As a function that Python calls without a tuple and a dict: names are the last values'.
static PyObject *call_with(PyObject *object, PyObject *const *values, Py_ssize_t count,
                           PyObject *names, placement where) {
  given_values given = {values, int(count), nullptr, values + count, 0};
  PyObject *keys[most_names_given];
  if (names) {
    const Py_ssize_t size = PyTuple_Size(names);
    given.named_count = int(size < most_names_given ? size : most_names_given);
    for (int i = 0; i < given.named_count; ++i)
      keys[i] = PyTuple_GetItem(names, i);
    given.names = keys;
  }
  return call_with(object, given, where);
}

PyObject *launch::call_vector(PyObject *object, PyObject *const *values, size_t flags,
                              PyObject *names) {
  constexpr size_t has_room_before = size_t(1) << (8 * sizeof(size_t) - 1);
  return call_with(object, values, Py_ssize_t(flags & ~has_room_before), names, placement());
}

PyObject *launch::call_tuple(PyObject *object, PyObject *arguments, PyObject *keywords) {
  PyObject *values[most_arguments], *keys[most_names_given], *named[most_names_given];
  given_values given = {values, int(PyTuple_Size(arguments)), keys, named, 0};
  for (int i = 0; i < given.count && i < most_arguments; ++i)
    values[i] = PyTuple_GetItem(arguments, i);
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (keywords && given.named_count < most_names_given &&
         PyDict_Next(keywords, &position, &key, &value)) {
    keys[given.named_count] = key;
    named[given.named_count++] = value;
  }
  return call_with(object, given, placement());
}

PyObject *launch::call_below_autograd(PyObject *object, PyObject *const *values, Py_ssize_t count,
                                      PyObject *names) {
  placement where;
  where.is_below_autograd = true;
  return call_with(object, values, count, names, where);
}

PyObject *launch::call_regrouping(PyObject *object, PyObject *const *values, Py_ssize_t count,
                                  PyObject *names) {
  placement where;
  where.is_below_autograd = where.may_regroup = true;
  return call_with(object, values, count, names, where);
}

// Without a gap between its elements, whole words; the bytes that they take.
static bool is_dense(const tk_tensor &tensor, int64_t &bytes) {
  int64_t elements = 1, reach = 1;
  for (int i = 0; i < tensor.rank; ++i) {
    elements *= tensor.extents[i];
    reach += (tensor.extents[i] - 1) * tensor.strides[i];
  }
  bytes = elements * tk::host::dtype_bytes(tensor.dtype);
  return (elements == 0 || elements == reach) && bytes % 4 == 0;
}

PyObject *launch::call_clear(PyObject *object, PyObject *tensor) {
  auto *self = reinterpret_cast<function_object *>(object);
  placement where;
  tk_tensor view;
  lent_tensor lent;
  binding given(0);
  launch::call with;
  if (!borrow(self->plan.name, "the tensor", "of a kernel", tensor, true, view, lent))
    return nullptr;
  int64_t bytes = 0;
  const bool ok = place(*self, 0, lent, where) && is_dense(view, bytes);
  if (!ok && !PyErr_Occurred())
    PyErr_Format(PyExc_TypeError,
                 "%s: the elements of a tensor to clear lie in a row and are whole words",
                 self->plan.name);
  CUresult error = 0;
  if (ok && where.device < 0)
    memset(view.data, 0, size_t(bytes));
  else if (ok && get_ready(self, where.device) && find_stream(*self, given, where, with) && bytes)
    error = driver.cuMemsetD32Async(reinterpret_cast<uintptr_t>(view.data), 0, size_t(bytes / 4),
                                    with.stream);
  Py_XDECREF(lent.keeper);
  if (error)
    raise(tk::host::make_status(TK_LAUNCH_FAILED, self->plan.name,
                                "the driver does not clear a tensor (error %d)", error));
  if (PyErr_Occurred())
    return nullptr;
  Py_RETURN_NONE;
}
