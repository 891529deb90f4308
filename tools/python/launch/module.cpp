//===- module.cpp - tkc._launch: functions of a plan, callable ------------===//
//
// One build serves Python 3.10 and later: the limited API of 3.10 has all that a
// call needs. (nanobind's stable ABI begins with 3.12; with it there would be a
// wheel for each Python before.)
//
// A call binds its arguments, borrows the tensors, makes outputs that were left
// out, and runs what launch.cpp does. docs/python.md says what a caller sees.
//
//===----------------------------------------------------------------------===//
#include "binding.h"
#include "launch.h"
#include "tensors.h"

#include <host/counter_places.h>

#include <initializer_list>
#include <stdlib.h>
#include <string.h>

using namespace launch;

static bool is_forked = false;

//===----------------------------------------------------------------------===//
// Outputs that are made
//===----------------------------------------------------------------------===//

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

static void forget(known_allocation &of) {
  for (PyObject **each : {&of.type, &of.function, &of.arguments, &of.keywords}) {
    Py_XDECREF(*each);
    *each = nullptr;
  }
}

// Asks Python how such an output is made.
static bool learn(const argument &of, PyObject *like, int device, const int64_t *extents,
                  known_allocation &to) {
  forget(to);
  if (!hooks.allocation) {
    PyErr_SetString(PyExc_RuntimeError, "tkc._launch has no allocator; import tkc");
    return false;
  }
  PyObject *shape = PyTuple_New(of.rank), *dtype = PyLong_FromLong(of.dtype), *answer = nullptr;
  for (int i = 0; shape && i < of.rank; ++i)
    PyTuple_SetItem(shape, i, PyLong_FromLongLong(extents[i]));
  if (shape && dtype)
    answer = PyObject_CallFunctionObjArgs(hooks.allocation, like, dtype, shape, nullptr);
  Py_XDECREF(shape);
  Py_XDECREF(dtype);
  PyObject *function, *arguments, *keywords;
  const bool ok = answer && PyArg_ParseTuple(answer, "OO!O!", &function, &PyTuple_Type, &arguments,
                                             &PyDict_Type, &keywords);
  if (ok) {
    for (PyObject *each : {function, arguments, keywords})
      Py_INCREF(each);
    to = {reinterpret_cast<PyObject *>(Py_TYPE(like)), device, {}, function, arguments, keywords};
    Py_INCREF(to.type);
    memcpy(to.extents, extents, size_t(of.rank) * sizeof(*extents));
  }
  Py_XDECREF(answer);
  return ok;
}

static PyObject *make(function_object &self, int index, PyObject *like, int device,
                      const int64_t *extents) {
  const argument &of = self.plan.arguments[index];
  known_allocation &known = self.allocations[index];
  const bool is_known = known.type == reinterpret_cast<PyObject *>(Py_TYPE(like)) &&
                        known.device == device &&
                        memcmp(known.extents, extents, size_t(of.rank) * sizeof(*extents)) == 0;
  if (!is_known && !learn(of, like, device, extents, known))
    return nullptr;
  PyObject *function = known.function, *arguments = known.arguments, *keywords = known.keywords;
  for (PyObject *each : {function, arguments, keywords}) // another thread may learn meanwhile
    Py_INCREF(each);
  PyObject *result = PyObject_Call(function, arguments, keywords);
  for (PyObject *each : {function, arguments, keywords})
    Py_DECREF(each);
  return result;
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

// The first tensor that was given: others must be where it is.
struct placement {
  bool is_below_autograd = false;
  bool may_regroup = false;
  int first = -1;
  int device = 0;
  const dlpack::exchange_table *table = nullptr;
};

static bool place(const function_object &self, int index, const lent_tensor &lent,
                  placement &where) {
  if (where.first < 0)
    where = {where.is_below_autograd, where.may_regroup, index, lent.device, lent.table};
  if (where.device == lent.device)
    return true;
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
  const bool ok =
      borrow(self.plan.name, of.name, dtype_name(of.dtype), object, where.is_below_autograd, lent);
  given.keepers[index] = lent.keeper;
  if (!ok || !place(self, index, lent, where))
    return false;
  with.tensors[index] = lent.view;
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

static bool raise(const tk_status &status) {
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
static bool get_ready(function_object *self, int device) {
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
  const int count = count_optional(self);
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

static PyObject *call_with(PyObject *object, PyObject *arguments, PyObject *keywords,
                           placement where) {
  auto *self = reinterpret_cast<function_object *>(object);
  function &plan = self->plan;
  binding given(plan.argument_count);
  if (!bind(*self, arguments, keywords, given))
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
    int64_t extents[TK_MAX_RANK];
    if (!infer(*self, i, given, with, extents))
      return nullptr;
    given.objects[i] = make(*self, i, where.first < 0 ? Py_None : given.objects[where.first],
                            where.device, extents);
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

static PyObject *call_function(PyObject *object, PyObject *arguments, PyObject *keywords) {
  return call_with(object, arguments, keywords, placement());
}

static PyObject *call_below_autograd(PyObject *object, PyObject *arguments, PyObject *keywords) {
  placement where;
  where.is_below_autograd = true;
  return call_with(object, arguments, keywords, where);
}

static PyObject *call_regrouping(PyObject *object, PyObject *arguments, PyObject *keywords) {
  placement where;
  where.is_below_autograd = where.may_regroup = true;
  return call_with(object, arguments, keywords, where);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static PyObject *new_function(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *name, *of_arguments, *requirements, *kernels, *measured;
  int is_choice = 0;
  if (!PyArg_ParseTuple(arguments, "OOOOpO", &name, &of_arguments, &requirements, &kernels,
                        &is_choice, &measured))
    return nullptr;
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  auto *self = reinterpret_cast<function_object *>(allocate(type, 0));
  if (!self)
    return nullptr;
  self->plan = function();
  if (!read_function(name, of_arguments, requirements, kernels, is_choice, measured, self->plan,
                     self->inferred)) {
    Py_DECREF(self);
    return nullptr;
  }
  for (int i = 0; i < self->plan.argument_count; ++i) {
    self->names[i] = PyUnicode_FromString(self->plan.arguments[i].name);
    if (!self->names[i]) {
      Py_DECREF(self);
      return nullptr;
    }
    PyUnicode_InternInPlace(&self->names[i]);
  }
  return reinterpret_cast<PyObject *>(self);
}

static void delete_function(PyObject *object) {
  auto *self = reinterpret_cast<function_object *>(object);
  for (int i = 0; i < most_arguments; ++i) {
    Py_XDECREF(self->names[i]);
    forget(self->allocations[i]);
  }
  free_function(self->plan);
  free(self->inferred);
  PyTypeObject *type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

static PyObject *set_cubin(PyObject *object, PyObject *arguments) {
  function &plan = reinterpret_cast<function_object *>(object)->plan;
  int number = 0;
  const char *bytes;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(arguments, "iy#", &number, &bytes, &size))
    return nullptr;
  if (number < 0 || number >= plan.kernel_count) {
    PyErr_SetString(PyExc_IndexError, "there is no kernel of this number");
    return nullptr;
  }
  char *copy = static_cast<char *>(malloc(size_t(size) + 1));
  if (!copy)
    return PyErr_NoMemory();
  memcpy(copy, bytes, size_t(size));
  copy[size] = 0;
  free(plan.kernels[number].cubin);
  plan.kernels[number].cubin = copy;
  Py_RETURN_NONE;
}

static PyObject *set_cpu(PyObject *object, PyObject *address) {
  reinterpret_cast<function_object *>(object)->plan.on_cpu =
      reinterpret_cast<tk_status (*)(const tk_tensor *, const scalar *)>(PyLong_AsVoidPtr(address));
  if (PyErr_Occurred())
    return nullptr;
  Py_RETURN_NONE;
}

static PyObject *prepare_function(PyObject *object, PyObject *device) {
  auto *self = reinterpret_cast<function_object *>(object);
  const int number = int(PyLong_AsLong(device));
  if (PyErr_Occurred() || !get_ready(self, number < 0 ? 0 : number))
    return nullptr;
  for (int i = 0; i < self->plan.kernel_count; ++i) {
    const tk_status status = prepare(self->plan.kernels[i], number);
    if (status.code != TK_OK) {
      raise(status);
      return nullptr;
    }
  }
  Py_RETURN_NONE;
}

static PyMethodDef function_methods[] = {
    {"below_autograd",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_below_autograd)),
     METH_VARARGS | METH_KEYWORDS,
     "below_autograd(...): as a call, for tensors that may require grad."},
    {"regrouping", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_regrouping)),
     METH_VARARGS | METH_KEYWORDS,
     "regrouping(...): as below_autograd, of elements in a row, grouped as the kernel has them."},
    {"set_cubin", set_cubin, METH_VARARGS,
     "set_cubin(number, bytes): the machine code of one of its kernels."},
    {"set_cpu", set_cpu, METH_O, "set_cpu(address): what runs it on the CPU."},
    {"prepare", prepare_function, METH_O,
     "prepare(device): loads it, which its first call would do."},
    {nullptr, nullptr, 0, nullptr}};

static PyType_Slot function_slots[] = {{Py_tp_new, reinterpret_cast<void *>(new_function)},
                                       {Py_tp_dealloc, reinterpret_cast<void *>(delete_function)},
                                       {Py_tp_call, reinterpret_cast<void *>(call_function)},
                                       {Py_tp_methods, function_methods},
                                       {0, nullptr}};

static PyType_Spec function_spec = {"tkc._launch.Function", sizeof(function_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, function_slots};

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

// set_driver({name: address}): the driver's functions; all of them, or none.
static PyObject *set_driver(PyObject *, PyObject *addresses) {
  driver_functions found;
#define TKC_FIND(function, parameters)                                                             \
  {                                                                                                \
    PyObject *address =                                                                            \
        PyDict_Check(addresses) ? PyDict_GetItemString(addresses, #function) : nullptr;            \
    found.function =                                                                               \
        address ? reinterpret_cast<CUresult(*) parameters>(PyLong_AsVoidPtr(address)) : nullptr;   \
    if (!found.function) {                                                                         \
      if (!PyErr_Occurred())                                                                       \
        PyErr_SetString(PyExc_LookupError,                                                         \
                        "the driver has no " #function "; install one for CUDA 12.0 or later");    \
      return nullptr;                                                                              \
    }                                                                                              \
  }
  TKC_DRIVER_FUNCTIONS(TKC_FIND)
#undef TKC_FIND
  driver = found;
  has_driver = true;
  Py_RETURN_NONE;
}

static PyObject *set_hook(PyObject *, PyObject *arguments) {
  const char *name;
  PyObject *value;
  if (!PyArg_ParseTuple(arguments, "sO", &name, &value))
    return nullptr;
  const struct {
    const char *name;
    PyObject **place;
  } places[] = {{"new_type", &hooks.new_type},
                {"allocation", &hooks.allocation},
                {"current_stream", &hooks.current_stream},
                {"grad_enabled", &hooks.grad_enabled},
                {"launch_error", &hooks.launch_error}};
  for (const auto &each : places)
    if (strcmp(each.name, name) == 0) {
      PyObject *before = *each.place;
      Py_INCREF(value);
      *each.place = value;
      Py_XDECREF(before);
      Py_RETURN_NONE;
    }
  PyErr_Format(PyExc_LookupError, "there is no hook '%s'", name);
  return nullptr;
}

static PyObject *set_forked(PyObject *, PyObject *) {
  is_forked = has_driver;
  Py_RETURN_NONE;
}

static PyObject *driver_names(PyObject *, PyObject *) {
  static const char *const names[] = {
#define TKC_NAME(function, parameters) #function,
      TKC_DRIVER_FUNCTIONS(TKC_NAME)
#undef TKC_NAME
  };
  PyObject *list = PyList_New(0);
  for (const char *name : names) {
    PyObject *text = PyUnicode_FromString(name);
    if (!list || !text || PyList_Append(list, text) != 0) {
      Py_XDECREF(list);
      Py_XDECREF(text);
      return nullptr;
    }
    Py_DECREF(text);
  }
  return list;
}

static PyMethodDef module_methods[] = {
    {"set_driver", set_driver, METH_O,
     "set_driver({name: address}): the functions of the CUDA driver."},
    {"driver_names", driver_names, METH_NOARGS, "driver_names(): those that set_driver needs."},
    {"set_hook", set_hook, METH_VARARGS, "set_hook(name, value): what the module asks Python for."},
    {"set_forked", set_forked, METH_NOARGS,
     "set_forked(): this process is a child of one that may use CUDA."},
    {nullptr, nullptr, 0, nullptr}};

static PyModuleDef module_definition = {PyModuleDef_HEAD_INIT,
                                        "tkc._launch",
                                        "Launches kernels by their plans.",
                                        -1,
                                        module_methods,
                                        nullptr,
                                        nullptr,
                                        nullptr,
                                        nullptr};

static void *leave_interpreter() { return PyEval_SaveThread(); }
static void enter_interpreter(void *state) {
  PyEval_RestoreThread(static_cast<PyThreadState *>(state));
}

PyMODINIT_FUNC PyInit__launch() {
  interpreter = {leave_interpreter, enter_interpreter};
  intern_keywords();
  intern_attributes();
  PyObject *module = PyModule_Create(&module_definition);
  PyObject *type = module ? PyType_FromSpec(&function_spec) : nullptr;
  if (!type || PyModule_AddObject(module, "Function", type) != 0 ||
      PyModule_AddIntConstant(module, "UPPER", upper_value) != 0 ||
      PyModule_AddIntConstant(module, "UNKNOWN_TRIPS", unknown_trips_value) != 0 ||
      PyModule_AddIntConstant(module, "MOST_PLACES", most_places) != 0 ||
      PyModule_AddIntConstant(module, "TILE_COUNTERS", long(tk::host::tile_counters)) != 0) {
    Py_XDECREF(module);
    return nullptr;
  }
  return module;
}
