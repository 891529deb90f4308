//===- tensors.cpp - A Python object as a tk_tensor -----------------------===//
//
// Three protocols, the cheapest first: DLPack's exchange table, numpy's
// __array_struct__, DLPack's __dlpack__ method; before them, for torch's own types,
// what torch_tensors.h says. Which one a type has is asked once. Nothing is ever copied: what
// cannot be used as it lies is refused.
//
//===----------------------------------------------------------------------===//
#include "tensors.h"

#include "torch_tensors.h"

#include <string.h>

using namespace launch;

python_hooks launch::hooks;

static PyObject *requires_grad_name;

void launch::intern_attributes() {
  requires_grad_name = PyUnicode_InternFromString("requires_grad");
}

namespace {

// numpy's PyArrayInterface.
struct array_interface {
  int two, rank;
  char kind;
  int bytes, flags;
  Py_ssize_t *extents, *strides;
  void *data;
};
constexpr int array_is_native = 0x200;

enum class protocol { exchange, array, method, none };

struct known_type {
  PyObject *type;
  protocol how;
  const dlpack::exchange_table *table;
  int torch_place; // of torch's own tensor in an object, see torch_tensors.h; else 0
  bool has_grad;   // torch: it may require grad
  PyObject *grad;  // what the type has under this name, and how an object's value is read from it,
                   // where that goes
  descrgetfunc read; // without looking the name up; else null
  bool tells_dtype;  // tkc.Bits
  PyObject *refusal; // a sentence; null if it is taken
};

} // namespace

static const dlpack::exchange_table *find_table(PyObject *type) {
  static const char *const names[] = {"__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"};
  for (const char *name : names) {
    PyObject *found = PyObject_GetAttrString(type, name);
    if (!found) {
      PyErr_Clear();
      continue;
    }
    const void *address = PyLong_Check(found) ? PyLong_AsVoidPtr(found)
                                              : PyCapsule_GetPointer(found, "dlpack_exchange_api");
    PyErr_Clear();
    Py_DECREF(found);
    for (auto *table = static_cast<const dlpack::exchange_table *>(address); table;
         table = table->older)
      if (table->version.major == 1)
        return table->lend ? table : nullptr;
  }
  return nullptr;
}

static bool has(PyObject *object, const char *name) {
  return PyObject_HasAttrString(object, name) != 0;
}

// What is known of an object's type; null with an exception set. Types are kept: their addresses
// are not used again.
static const known_type *know(PyObject *object) {
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  constexpr int most = 64;
  static known_type known[most];
  static int count = 0;
  for (int i = 0; i < count; ++i)
    if (known[i].type == type)
      return &known[i];
  known_type fresh = {};
  fresh.type = type;
  if (hooks.new_type) {
    PyObject *answer = PyObject_CallFunctionObjArgs(hooks.new_type, type, nullptr);
    if (!answer)
      return nullptr;
    if (answer != Py_None)
      fresh.refusal = answer; // kept with the type
    else
      Py_DECREF(answer);
  }
  fresh.table = find_table(type);
  fresh.torch_place = hooks.torch_types && PySequence_Contains(hooks.torch_types, type) == 1
                          ? torch_tensors::find_place(object)
                          : 0;
  fresh.grad = PyObject_GetAttr(type, requires_grad_name); // kept with the type
  fresh.has_grad = fresh.grad != nullptr;
  PyErr_Clear();
  if (fresh.has_grad &&
      PyType_GetSlot(Py_TYPE(fresh.grad), Py_tp_descr_set)) // an object's own cannot hide it
    fresh.read =
        reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(fresh.grad), Py_tp_descr_get));
  fresh.tells_dtype = has(type, "tkc_dtype");
  fresh.how = fresh.table                                          ? protocol::exchange
              : fresh.tells_dtype || has(type, "__array_struct__") ? protocol::array
              : has(type, "__dlpack__")                            ? protocol::method
                                                                   : protocol::none;
  known_type *place = &known[count < most ? count++ : most - 1];
  Py_INCREF(type);
  *place = fresh;
  return place;
}

// The first line of what something says: torch lists its C++ frames after it.
static PyObject *first_line(PyObject *of) {
  PyObject *text = of ? PyObject_Str(of) : nullptr;
  const Py_ssize_t size = text ? PyUnicode_GetLength(text) : 0;
  const Py_ssize_t end = text ? PyUnicode_FindChar(text, '\n', 0, size, 1) : -1;
  if (end < 0)
    return text;
  PyObject *line = PyUnicode_Substring(text, 0, end);
  Py_DECREF(text);
  return line;
}

// TypeError with the words of what was raised meanwhile.
static bool refuse_because(const char *function, const char *name, PyObject *object) {
  PyObject *kind, *value, *trace;
  PyErr_Fetch(&kind, &value, &trace);
  PyObject *type =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__");
  PyObject *line = first_line(value);
  PyErr_Format(PyExc_TypeError, "%s: %s is a %S that lends no memory: %S", function, name,
               type ? type : Py_None, line ? line : Py_None);
  Py_XDECREF(line);
  Py_XDECREF(type);
  Py_XDECREF(kind);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return false;
}

static int dtype_of(const dlpack::tensor &view) {
  const int kind = view.lanes == 1 ? view.code << 8 | view.bits : -1;
  switch (kind) {
  case dlpack::bfloat << 8 | 16:
    return TK_BF16;
  case dlpack::floating << 8 | 16:
    return TK_F16;
  case dlpack::floating << 8 | 32:
    return TK_F32;
  case dlpack::integer << 8 | 8:
    return TK_I8;
  case dlpack::integer << 8 | 32:
    return TK_I32;
  case dlpack::e4m3fn << 8 | 8:
    return TK_E4M3;
  case dlpack::e5m2 << 8 | 8:
    return TK_E5M2;
  default:
    return -1;
  }
}

// numpy has no bf16 and no 8-bit floats: ml_dtypes adds them under these names.
static int dtype_by_name(PyObject *object) {
  static const struct {
    const char *name;
    int dtype;
  } names[] = {{"bfloat16", TK_BF16}, {"float8_e4m3fn", TK_E4M3}, {"float8_e5m2", TK_E5M2}};
  PyObject *dtype = PyObject_GetAttrString(object, "dtype");
  PyObject *text = dtype ? PyObject_GetAttrString(dtype, "name") : nullptr;
  int result = -1;
  for (const auto &each : names)
    if (text && PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, each.name) == 0)
      result = each.dtype;
  Py_XDECREF(dtype);
  Py_XDECREF(text);
  PyErr_Clear();
  return result;
}

static bool refuse_dtype(const char *function, const char *name, const char *wanted,
                         PyObject *object) {
  PyObject *dtype = PyObject_GetAttrString(object, "dtype");
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s: tensor %s has type %S when it should be %s; convert it first",
               function, name, dtype ? dtype : Py_None, wanted);
  Py_XDECREF(dtype);
  return false;
}

static bool refuse_rank(const char *function, const char *name, int rank) {
  PyErr_Format(PyExc_TypeError, "%s: tensor %s has rank %d; kernels have tensors of rank 1 to %d",
               function, name, rank, TK_MAX_RANK);
  return false;
}

// Of DLPack's view.
static bool take(const char *function, const char *name, const char *wanted, PyObject *object,
                 const dlpack::tensor &view, tk_tensor &to, lent_tensor &result) {
  if (view.rank < 1 || view.rank > TK_MAX_RANK)
    return refuse_rank(function, name, view.rank);
  to.data = static_cast<char *>(view.data) + view.offset;
  to.dtype = dtype_of(view);
  if (to.dtype < 0)
    return refuse_dtype(function, name, wanted, object);
  to.rank = view.rank;
  int64_t step = 1;
  for (int i = view.rank - 1; i >= 0; --i) {
    to.extents[i] = view.extents[i];
    to.strides[i] = view.strides ? view.strides[i] : step;
    step *= view.extents[i];
  }
  if (view.device == dlpack::cuda || view.device == dlpack::cuda_managed)
    result.device = view.device_number;
  else if (view.device == dlpack::cpu || view.device == dlpack::cuda_host)
    result.device = -1;
  else {
    PyErr_Format(PyExc_TypeError,
                 "%s: tensor %s is on a device of DLPack's type %d; use one on a CUDA device",
                 function, name, int(view.device));
    return false;
  }
  return true;
}

static bool borrow_array(const char *function, const char *name, const char *wanted,
                         const known_type &type, PyObject *object, tk_tensor &to,
                         lent_tensor &result) {
  // numpy reads tkc.Bits as numbers; their bits are an array in it.
  PyObject *array = type.tells_dtype ? PyObject_GetAttrString(object, "bits") : nullptr;
  PyObject *capsule = PyErr_Occurred()
                          ? nullptr
                          : PyObject_GetAttrString(array ? array : object, "__array_struct__");
  Py_XDECREF(array); // `object` holds it
  auto *view =
      capsule ? static_cast<array_interface *>(PyCapsule_GetPointer(capsule, nullptr)) : nullptr;
  if (!view || view->two != 2) {
    Py_XDECREF(capsule);
    return refuse_because(function, name, object);
  }
  result.keeper = capsule;
  result.device = -1;
  if (view->rank < 1 || view->rank > TK_MAX_RANK)
    return refuse_rank(function, name, view->rank);
  to.dtype = -1;
  if (type.tells_dtype) {
    PyObject *told = PyObject_GetAttrString(object, "tkc_dtype");
    to.dtype = told ? int(PyLong_AsLong(told)) : -1;
    Py_XDECREF(told);
    PyErr_Clear();
  } else if (view->flags & array_is_native) {
    const int kind = view->kind << 8 | view->bytes;
    to.dtype = kind == ('f' << 8 | 2)   ? TK_F16
               : kind == ('f' << 8 | 4) ? TK_F32
               : kind == ('i' << 8 | 1) ? TK_I8
               : kind == ('i' << 8 | 4) ? TK_I32
               : view->kind == 'V'      ? dtype_by_name(object)
                                        : -1;
  }
  if (to.dtype < 0)
    return refuse_dtype(function, name, wanted, object);
  to.rank = view->rank;
  to.data = view->data;
  for (int i = 0; i < view->rank; ++i) {
    to.extents[i] = view->extents[i];
    // A stride that is no whole number of elements has no spelling; -1 is refused by the checks.
    to.strides[i] = view->strides[i] % view->bytes ? -1 : view->strides[i] / view->bytes;
  }
  return true;
}

// A tensor that requires grad lends its memory by its method only when it is detached.
static PyObject *detached(PyObject *object) {
  PyObject *result = PyObject_CallMethod(object, "detach", nullptr);
  PyErr_Clear();
  return result;
}

static bool borrow_by_method(const char *function, const char *name, const char *wanted,
                             PyObject *object, tk_tensor &to, lent_tensor &result) {
  PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", nullptr);
  int type = 0, number = 0;
  const bool is_known = device && PyArg_ParseTuple(device, "ii", &type, &number);
  Py_XDECREF(device);
  PyObject *capsule = nullptr;
  if (is_known) { // -1: no synchronization, since the launch is in the stream of the tensor's
                  // library
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    PyObject *none = PyTuple_New(0);
    PyObject *keywords = type == dlpack::cuda ? Py_BuildValue("{s:i}", "stream", -1) : PyDict_New();
    if (method && none && keywords)
      capsule = PyObject_Call(method, none, keywords);
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(keywords);
  }
  if (!capsule)
    return refuse_because(function, name, object);
  result.keeper = capsule; // its destructor gives the tensor back
  if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
    return take(
        function, name, wanted, object,
        static_cast<dlpack::versioned_tensor *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"))
            ->view,
        to, result);
  if (auto *managed =
          static_cast<dlpack::managed_tensor *>(PyCapsule_GetPointer(capsule, "dltensor")))
    return take(function, name, wanted, object, managed->view, to, result);
  return refuse_because(function, name, object);
}

// Raw kernels are opaque to autograd, as numpy is.
static bool refuse_grad(const char *function, const char *name, const known_type &type,
                        PyObject *object) {
  PyObject *required = type.read ? type.read(type.grad, object, type.type)
                                 : PyObject_GetAttr(object, requires_grad_name);
  if (required == Py_False) { // nearly always
    Py_DECREF(required);
    return true;
  }
  const int is_required = required ? PyObject_IsTrue(required) : -1;
  Py_XDECREF(required);
  if (is_required <= 0)
    return is_required == 0;
  PyObject *enabled =
      hooks.grad_enabled ? PyObject_CallFunctionObjArgs(hooks.grad_enabled, nullptr) : nullptr;
  const int is_enabled = enabled ? PyObject_IsTrue(enabled) : 1;
  Py_XDECREF(enabled);
  PyErr_Clear();
  if (is_enabled)
    PyErr_Format(PyExc_TypeError,
                 "%s: tensor %s requires grad, which a kernel does not record; pass %s.detach(), "
                 "call it under "
                 "torch.no_grad(), or write a torch.autograd.Function around it",
                 function, name, name);
  return !is_enabled;
}

bool launch::borrow(const char *function, const char *name, const char *dtype, PyObject *object,
                    bool is_below_autograd, tk_tensor &view, lent_tensor &result) {
  result.keeper = nullptr;
  result.table = nullptr;
  const known_type *known = know(object);
  if (!known)
    return false;
  if (known->refusal) {
    PyErr_Format(PyExc_TypeError, "%s: %s is %S", function, name, known->refusal);
    return false;
  }
  void *handle =
      known->torch_place ? torch_tensors::handle_of(object, known->torch_place) : nullptr;
  const bool may_require_grad =
      known->has_grad && !is_below_autograd && (!handle || torch_tensors::requires_grad(handle));
  if (may_require_grad && !refuse_grad(function, name, *known, object))
    return false;
  if (handle && torch_tensors::read(handle, view, result.device)) {
    result.table = known->table;
    return true;
  }
  switch (known->how) {
  case protocol::exchange: {
    dlpack::tensor lent;
    result.table = known->table;
    if (known->table->lend(object, &lent) != 0)
      return refuse_because(function, name, object);
    return take(function, name, dtype, object, lent, view, result);
  }
  case protocol::array:
    return borrow_array(function, name, dtype, *known, object, view, result);
  case protocol::method: {
    PyObject *plain = known->has_grad && is_below_autograd ? detached(object) : nullptr;
    const bool ok = borrow_by_method(function, name, dtype, plain ? plain : object, view, result);
    Py_XDECREF(plain); // the capsule holds its memory
    return ok;
  }
  case protocol::none:
    break;
  }
  PyObject *text = PyObject_GetAttrString(known->type, "__name__");
  PyErr_Format(PyExc_TypeError,
               "%s: %s is a %S; pass a tensor of torch, an array of numpy, or what has __dlpack__",
               function, name, text ? text : Py_None);
  Py_XDECREF(text);
  return false;
}
