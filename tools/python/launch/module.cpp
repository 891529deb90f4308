//===- module.cpp - tkc._launch: functions of a plan, callable ------------===//
//
// One build serves Python 3.10 and later: the limited API of 3.10 has all that a
// call needs. (nanobind's stable ABI begins with 3.12; with it there would be a
// wheel for each Python before.)
//
//===----------------------------------------------------------------------===//
#include "addresses.h"
#include "call.h"
#include "launch.h"
#include "outputs.h"
#include "torch_tensors.h"

#include <host/counter_places.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

using namespace launch;

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
  self->called = call_vector;
  if (!read_function(name, of_arguments, requirements, kernels, is_choice, measured, self->plan,
                     self->inferred)) {
    Py_DECREF(self);
    return nullptr;
  }
  for (int i = 0; i < self->plan.argument_count; ++i) {
    ++(self->inferred[i].is_optional ? self->optional_count : self->required_count);
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
     METH_FASTCALL | METH_KEYWORDS,
     "below_autograd(...): as a call, for tensors that may require grad."},
    {"regrouping", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_regrouping)),
     METH_FASTCALL | METH_KEYWORDS,
     "regrouping(...): as below_autograd, of elements in a row, grouped as the kernel has them."},
    {"clear", call_clear, METH_O,
     "clear(tensor): sets what the kernel adds to to 0, in the stream that it would run in."},
    {"set_cubin", set_cubin, METH_VARARGS,
     "set_cubin(number, bytes): the machine code of one of its kernels."},
    {"set_cpu", set_cpu, METH_O, "set_cpu(address): what runs it on the CPU."},
    {"prepare", prepare_function, METH_O,
     "prepare(device): loads it, which its first call would do."},
    {nullptr, nullptr, 0, nullptr}};

static PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(function_object, called), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

static PyType_Slot function_slots[] = {{Py_tp_new, reinterpret_cast<void *>(new_function)},
                                       {Py_tp_dealloc, reinterpret_cast<void *>(delete_function)},
                                       {Py_tp_call, reinterpret_cast<void *>(call_tuple)},
                                       {Py_tp_members, function_members},
                                       {Py_tp_methods, function_methods},
                                       {0, nullptr}};

// Py_TPFLAGS_HAVE_VECTORCALL, which the limited API of 3.10 does not name. Subclasses inherit it
// from 3.12 on; before, their calls come through the tuple.
constexpr unsigned has_vector_call = 1u << 11;

static PyType_Spec function_spec = {"tkc._launch.Function", sizeof(function_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | has_vector_call,
                                    function_slots};

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

// set_driver({name: address}): the driver's functions; all of them, or none.
static PyObject *set_driver(PyObject *, PyObject *addresses) {
  driver_functions found;
#define TKC_FIND(function, parameters)                                                             \
  if (!find_address(addresses, #function, found.function)) {                                       \
    PyErr_SetString(PyExc_LookupError,                                                             \
                    "the driver has no " #function "; install one for CUDA 12.0 or later");        \
    return nullptr;                                                                                \
  }
  TKC_DRIVER_FUNCTIONS(TKC_FIND)
#undef TKC_FIND
  driver = found;
  has_driver = true;
  Py_RETURN_NONE;
}

static PyObject *set_torch(PyObject *, PyObject *arguments) {
  PyObject *addresses, *numbers;
  int device_type = 0;
  if (!PyArg_ParseTuple(arguments, "OiO!", &addresses, &device_type, &PyTuple_Type, &numbers) ||
      !torch_tensors::set(addresses, device_type, numbers))
    return nullptr;
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
                {"torch_types", &hooks.torch_types},
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

static PyObject *list(const char *const *names) {
  PyObject *result = PyList_New(0);
  for (; *names; ++names) {
    PyObject *text = PyUnicode_FromString(*names);
    if (!result || !text || PyList_Append(result, text) != 0) {
      Py_XDECREF(result);
      Py_XDECREF(text);
      return nullptr;
    }
    Py_DECREF(text);
  }
  return result;
}

static PyObject *driver_names(PyObject *, PyObject *) {
  static const char *const names[] = {
#define TKC_NAME(function, parameters) #function,
      TKC_DRIVER_FUNCTIONS(TKC_NAME)
#undef TKC_NAME
          nullptr};
  return list(names);
}

static PyObject *torch_names(PyObject *, PyObject *) { return list(torch_tensors::names); }

static PyMethodDef module_methods[] = {
    {"set_driver", set_driver, METH_O,
     "set_driver({name: address}): the functions of the CUDA driver."},
    {"driver_names", driver_names, METH_NOARGS, "driver_names(): those that set_driver needs."},
    {"torch_names", torch_names, METH_NOARGS, "torch_names(): those that set_torch needs."},
    {"set_torch", set_torch, METH_VARARGS,
     "set_torch({name: address}, number, numbers): the functions that read tensors of torch, its "
     "number of CUDA devices, and those of the elements' types."},
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
