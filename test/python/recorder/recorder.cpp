//===- recorder.cpp - A CUDA driver that records, and tensors for it ------===//
//
// A Python module: driver() has the functions that tkc._launch calls, launch() what
// the last launch was, and Tensor is what a tensor library would hand over: an address
// that nothing reads, with DLPack's exchange table. TorchTensor is one that torch()'s
// functions read, too, as those of torch read its own.
//
//===----------------------------------------------------------------------===//
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "dlpack.h"
#include "driver.h"
#include "record.h"

#include <stddef.h>
#include <structmember.h>

static record::launch last;
static bool is_recording = true; // or it does nothing, for timing
static unsigned long long encoded;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

static int ctx_get_id(void *, unsigned long long *id) {
  *id = 1;
  return 0;
}
static int ctx_get_device(int *device) {
  *device = 0;
  return 0;
}
static int ctx_push(void *) { return 0; }
static int ctx_pop(void **) { return 0; }
static int retain(void **context, int) {
  *context = &last;
  return 0;
}
static int get_attribute(int *value, int attribute, int) {
  *value = attribute == 16 ? record::num_sms : attribute == 75 ? 9 : attribute == 97 ? 232448 : 0;
  return 0;
}
static int load_data(void **module, const void *) {
  *module = &last;
  return 0;
}
// A function is its name.
static int get_function(void **function, void *, const char *name) {
  *function = const_cast<char *>(name);
  return 0;
}
static int get_global(unsigned long long *address, size_t *bytes, void *, const char *) {
  *address = record::counters;
  *bytes = 1 << 16;
  return 0;
}
static int set_function_attribute(void *, int, int) { return 0; }
static int encode(CUtensorMap *map, int type, uint32_t rank, void *data, const uint64_t *extents,
                  const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                  int interleave, int swizzle, int promotion, int fill) {
  ++encoded;
  record::encode(map, type, rank, data, extents, strides, box, steps, interleave, swizzle,
                 promotion, fill);
  return 0;
}
static uint32_t sizes[128];
static int size_count = 0;

static int launch_kernel(const launch::CUlaunchConfig *config, void *function, void **parameters,
                         void **) {
  ++last.count;
  if (!is_recording)
    return 0;
  const uint64_t count = last.count;
  memset(&last, 0, sizeof(last));
  last.count = count;
  memcpy(last.grid, config->grid, sizeof(last.grid));
  memcpy(last.block, config->block, sizeof(last.block));
  last.shared_bytes = config->shared_bytes;
  last.stream = reinterpret_cast<uintptr_t>(config->stream);
  last.attribute_count = config->attribute_count;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    last.attributes[i].id = uint32_t(config->attributes[i].id);
    last.attributes[i].x = config->attributes[i].value.cluster.x;
  }
  strncpy(last.kernel, static_cast<const char *>(function), sizeof(last.kernel) - 1);
  char *end = last.arguments;
  for (int i = 0; i < size_count; ++i) {
    last.sizes[last.argument_count++] = sizes[i];
    memcpy(end, parameters[i], sizes[i]);
    end += sizes[i];
  }
  return 0;
}
static int clear(unsigned long long, unsigned, size_t, void *) { return 0; }
static int is_capturing(void *stream, int *status) {
  *status = record::is_captured(stream);
  return 0;
}
static int get_stream_id(void *stream, unsigned long long *id) {
  *id = reinterpret_cast<uintptr_t>(stream) >> 4;
  return 0;
}
static int exchange_mode(int *) { return 0; }
static int get_error_string(int, const char **text) {
  *text = "an error";
  return 0;
}

static PyObject *driver_addresses(PyObject *, PyObject *) {
  const launch::driver_functions table = {
      ctx_get_id,    ctx_get_device,  ctx_push,     ctx_pop,      retain,
      get_attribute, load_data,       get_function, get_global,   set_function_attribute,
      encode,        launch_kernel,   clear,        is_capturing, get_stream_id,
      exchange_mode, get_error_string};
  PyObject *result = PyDict_New();
#define PUT(name, parameters)                                                                      \
  {                                                                                                \
    PyObject *address = PyLong_FromVoidPtr(reinterpret_cast<void *>(table.name));                  \
    PyDict_SetItemString(result, #name, address);                                                  \
    Py_DECREF(address);                                                                            \
  }
  TKC_DRIVER_FUNCTIONS(PUT)
#undef PUT
  return result;
}

static PyObject *last_launch(PyObject *, PyObject *) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(&last), sizeof(last));
}

// How large the kernel's parameters are, which the driver knows of a real kernel.
static PyObject *set_sizes(PyObject *, PyObject *list) {
  size_count = 0;
  for (Py_ssize_t i = 0; i < PySequence_Size(list) && i < 128; ++i) {
    PyObject *item = PySequence_GetItem(list, i);
    sizes[size_count++] = uint32_t(PyLong_AsUnsignedLong(item));
    Py_DECREF(item);
  }
  Py_RETURN_NONE;
}

static PyObject *set_recording(PyObject *, PyObject *on) {
  is_recording = PyObject_IsTrue(on);
  Py_RETURN_NONE;
}

static PyObject *count_encoded(PyObject *, PyObject *) {
  return PyLong_FromUnsignedLongLong(encoded);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

struct tensor_object {
  PyObject_HEAD tensor_object *tensor; // itself: what a handle is the address of
  dlpack::tensor view;
  int64_t extents[8], strides[8];
  char requires_grad;
};

static int lend(void *object, dlpack::tensor *view) {
  auto *self = static_cast<tensor_object *>(object);
  *view = self->view;
  view->extents = self->extents;
  view->strides = self->strides;
  return 0;
}
static void *current = nullptr;
static int current_stream(dlpack::device_type, int32_t, void **stream) {
  *stream = current;
  return 0;
}
static const dlpack::exchange_table table = {{1, 1},  nullptr, nullptr,       nullptr,
                                             nullptr, lend,    current_stream};

static PyObject *set_stream(PyObject *, PyObject *number) {
  current = PyLong_AsVoidPtr(number);
  Py_RETURN_NONE;
}

// Tensor(address, device, code, bits, extents, strides)
static PyObject *new_tensor(PyTypeObject *type, PyObject *arguments, PyObject *) {
  unsigned long long address = 0;
  int device = 0, code = 0, bits = 0;
  PyObject *extents, *strides;
  if (!PyArg_ParseTuple(arguments, "KiiiO!O!", &address, &device, &code, &bits, &PyTuple_Type,
                        &extents, &PyTuple_Type, &strides))
    return nullptr;
  auto *self = reinterpret_cast<tensor_object *>(
      reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc))(type, 0));
  if (!self)
    return nullptr;
  self->tensor = self;
  self->view = {reinterpret_cast<void *>(address),
                device < 0 ? dlpack::cpu : dlpack::cuda,
                device < 0 ? 0 : device,
                int32_t(PyTuple_Size(extents)),
                uint8_t(code),
                uint8_t(bits),
                1,
                nullptr,
                nullptr,
                0};
  for (int i = 0; i < self->view.rank && i < 8; ++i) {
    self->extents[i] = PyLong_AsLongLong(PyTuple_GetItem(extents, i));
    self->strides[i] = PyLong_AsLongLong(PyTuple_GetItem(strides, i));
  }
  return reinterpret_cast<PyObject *>(self);
}

static PyObject *get_address(PyObject *object, void *) { return PyLong_FromVoidPtr(object); }

//===----------------------------------------------------------------------===//
// What torch has to read its tensors
//===----------------------------------------------------------------------===//

static unsigned long long read_by_torch;

static const dlpack::tensor &view_of(void *handle) {
  return (*static_cast<tensor_object **>(handle))->view;
}
static int get_device_type(void *handle, int32_t *type) {
  *type = view_of(handle).device;
  return 0;
}
static int get_device_index(void *handle, int32_t *index) {
  *index = view_of(handle).device_number;
  return 0;
}
static int number_of(int code, int bits) { return code * 4 + bits / 16; }
static int get_dtype(void *handle, int32_t *number) {
  *number = number_of(view_of(handle).code, view_of(handle).bits);
  return 0;
}
static int get_dim(void *handle, int64_t *rank) {
  *rank = view_of(handle).rank;
  return 0;
}
static int get_sizes(void *handle, int64_t **extents) {
  *extents = (*static_cast<tensor_object **>(handle))->extents;
  return 0;
}
static int get_strides(void *handle, int64_t **strides) {
  *strides = (*static_cast<tensor_object **>(handle))->strides;
  return 0;
}
static int get_data_ptr(void *handle, void **data) {
  ++read_by_torch;
  *data = view_of(handle).data;
  return 0;
}
// One at 16 has none.
static bool has_storage(const void *tensor) {
  return static_cast<const tensor_object *>(tensor)->view.data != reinterpret_cast<void *>(16);
}
static bool requires_grad(const void *tensor) {
  return static_cast<const tensor_object *>(tensor)->requires_grad;
}

// What set_torch takes.
static PyObject *torch_functions(PyObject *, PyObject *) {
  const struct {
    const char *name;
    void *address;
  } functions[] = {
      {"aoti_torch_get_device_type", reinterpret_cast<void *>(get_device_type)},
      {"aoti_torch_get_device_index", reinterpret_cast<void *>(get_device_index)},
      {"aoti_torch_get_dtype", reinterpret_cast<void *>(get_dtype)},
      {"aoti_torch_get_dim", reinterpret_cast<void *>(get_dim)},
      {"aoti_torch_get_sizes", reinterpret_cast<void *>(get_sizes)},
      {"aoti_torch_get_strides", reinterpret_cast<void *>(get_strides)},
      {"aoti_torch_get_data_ptr", reinterpret_cast<void *>(get_data_ptr)},
      {"_ZNK3c1010TensorImpl11has_storageEv", reinterpret_cast<void *>(has_storage)},
      {"_ZNK3c1010TensorImpl13requires_gradEv", reinterpret_cast<void *>(requires_grad)}};
  PyObject *addresses = PyDict_New();
  for (const auto &each : functions) {
    PyObject *address = PyLong_FromVoidPtr(each.address);
    PyDict_SetItemString(addresses, each.name, address);
    Py_DECREF(address);
  }
  return Py_BuildValue("Ni(iiiiiii)", addresses, int(dlpack::cuda), number_of(dlpack::bfloat, 16),
                       number_of(dlpack::floating, 16), number_of(dlpack::floating, 32),
                       number_of(dlpack::e4m3fn, 8), number_of(dlpack::e5m2, 8),
                       number_of(dlpack::integer, 8), number_of(dlpack::integer, 32));
}

static PyObject *count_read_by_torch(PyObject *, PyObject *) {
  return PyLong_FromUnsignedLongLong(read_by_torch);
}

static PyGetSetDef getters[] = {{"_cdata", get_address, nullptr, nullptr, nullptr},
                                {nullptr, nullptr, nullptr, nullptr, nullptr}};
static PyMemberDef members[] = {
    {"requires_grad", T_BOOL, offsetof(tensor_object, requires_grad), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
static PyType_Slot torch_slots[] = {{Py_tp_new, reinterpret_cast<void *>(new_tensor)},
                                    {Py_tp_getset, getters},
                                    {Py_tp_members, members},
                                    {0, nullptr}};
static PyType_Spec torch_spec = {"recorder.TorchTensor", sizeof(tensor_object), 0,
                                 Py_TPFLAGS_DEFAULT, torch_slots};

static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(new_tensor)}, {0, nullptr}};
static PyType_Spec spec = {"recorder.Tensor", sizeof(tensor_object), 0, Py_TPFLAGS_DEFAULT, slots};

static PyMethodDef methods[] = {{"driver", driver_addresses, METH_NOARGS, nullptr},
                                {"launch", last_launch, METH_NOARGS, nullptr},
                                {"set_sizes", set_sizes, METH_O, nullptr},
                                {"set_recording", set_recording, METH_O, nullptr},
                                {"set_stream", set_stream, METH_O, nullptr},
                                {"torch", torch_functions, METH_NOARGS, nullptr},
                                {"read_by_torch", count_read_by_torch, METH_NOARGS, nullptr},
                                {"encoded", count_encoded, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "recorder", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

PyMODINIT_FUNC PyInit_recorder() {
  PyObject *module = PyModule_Create(&definition);
  PyObject *capsule =
      PyCapsule_New(const_cast<dlpack::exchange_table *>(&table), "dlpack_exchange_api", nullptr);
  for (PyType_Spec *each : {&spec, &torch_spec}) {
    PyObject *type = PyType_FromSpec(each);
    if (PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", capsule) != 0 ||
        PyModule_AddObject(module, each == &spec ? "Tensor" : "TorchTensor", type) != 0)
      return nullptr;
  }
  return module;
}
