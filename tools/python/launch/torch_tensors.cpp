//===- torch_tensors.cpp - CUDA tensors of torch, read by its C shim ------===//
#include "torch_tensors.h"

#include "addresses.h"

using namespace launch;

// c10::TensorImpl's requires_grad() and has_storage(), which the shim has not.
#define TKC_REQUIRES_GRAD _ZNK3c1010TensorImpl13requires_gradEv
#define TKC_HAS_STORAGE _ZNK3c1010TensorImpl11has_storageEv

// Those that return int answer 0 if they could.
#define TKC_TORCH_FUNCTIONS(DO)                                                                    \
  DO(int, aoti_torch_get_device_type, (void *, int32_t *))                                         \
  DO(int, aoti_torch_get_device_index, (void *, int32_t *))                                        \
  DO(int, aoti_torch_get_dtype, (void *, int32_t *))                                               \
  DO(int, aoti_torch_get_dim, (void *, int64_t *))                                                 \
  DO(int, aoti_torch_get_sizes, (void *, int64_t **))                                              \
  DO(int, aoti_torch_get_strides, (void *, int64_t **))                                            \
  DO(int, aoti_torch_get_data_ptr, (void *, void **))                                              \
  DO(bool, TKC_REQUIRES_GRAD, (const void *))                                                      \
  DO(bool, TKC_HAS_STORAGE, (const void *))

namespace {
struct torch_functions {
#define TKC_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  TKC_TORCH_FUNCTIONS(TKC_DECLARE)
#undef TKC_DECLARE
};
} // namespace

static torch_functions torch;
static bool is_set = false;
static int32_t cuda_type;
constexpr int most_dtypes = 128; // torch's numbers
static int16_t dtypes[most_dtypes];

#define TKC_TEXT_OF(name) #name
#define TKC_NAME(result, name, parameters) TKC_TEXT_OF(name),
const char *const torch_tensors::names[] = {TKC_TORCH_FUNCTIONS(TKC_NAME) nullptr};
#undef TKC_NAME

bool torch_tensors::set(PyObject *addresses, int device_type, PyObject *numbers) {
  torch_functions found;
#define TKC_FIND(result, name, parameters)                                                         \
  if (!find_address(addresses, TKC_TEXT_OF(name), found.name)) {                                   \
    PyErr_SetString(PyExc_LookupError, "this torch has no " TKC_TEXT_OF(name));                    \
    return false;                                                                                  \
  }
  TKC_TORCH_FUNCTIONS(TKC_FIND)
#undef TKC_FIND
  for (int16_t &each : dtypes)
    each = -1;
  for (Py_ssize_t i = 0; i < PyTuple_Size(numbers); ++i) {
    const long number = PyLong_AsLong(PyTuple_GetItem(numbers, i));
    if (number >= 0 && number < most_dtypes)
      dtypes[number] = int16_t(i);
  }
  torch = found;
  cuda_type = device_type;
  is_set = !PyErr_Occurred();
  return is_set;
}

int torch_tensors::find_place(PyObject *object) {
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  PyObject *size = is_set ? PyObject_GetAttrString(type, "__basicsize__") : nullptr;
  PyObject *tensor = size ? PyObject_GetAttrString(object, "_cdata") : nullptr;
  const long bytes = size ? PyLong_AsLong(size) : 0;
  const void *wanted = tensor ? PyLong_AsVoidPtr(tensor) : nullptr;
  Py_XDECREF(size);
  Py_XDECREF(tensor);
  PyErr_Clear();
  // After the head; torch before 2.10 has a flag there first.
  for (long place = sizeof(PyObject); wanted && place <= long(sizeof(PyObject) + sizeof(void *));
       place += sizeof(void *))
    if (place + long(sizeof(void *)) <= bytes &&
        *static_cast<void **>(handle_of(object, int(place))) == wanted)
      return int(place);
  return 0;
}

static const void *tensor_of(const void *handle) { return *static_cast<void *const *>(handle); }

bool torch_tensors::requires_grad(const void *handle) {
  return torch.TKC_REQUIRES_GRAD(tensor_of(handle));
}

bool torch_tensors::read(void *handle, tk_tensor &view, int &device) {
  int32_t type = 0, number = 0;
  int64_t rank = 0, *extents = nullptr, *strides = nullptr;
  // Of a tensor without memory (sparse, or a stand-in of torch.func) the shim would print what it
  // thinks of the question.
  if (!torch.TKC_HAS_STORAGE(tensor_of(handle)) ||
      torch.aoti_torch_get_device_type(handle, &type) || type != cuda_type ||
      torch.aoti_torch_get_dtype(handle, &number) || number < 0 || number >= most_dtypes ||
      dtypes[number] < 0 || torch.aoti_torch_get_dim(handle, &rank) || rank < 1 ||
      rank > TK_MAX_RANK || torch.aoti_torch_get_sizes(handle, &extents) ||
      torch.aoti_torch_get_strides(handle, &strides) ||
      torch.aoti_torch_get_device_index(handle, &device) ||
      torch.aoti_torch_get_data_ptr(handle, &view.data))
    return false;
  view.dtype = dtypes[number];
  view.rank = int32_t(rank);
  for (int64_t i = 0; i < rank; ++i) {
    view.extents[i] = extents[i];
    view.strides[i] = strides[i];
  }
  return true;
}
