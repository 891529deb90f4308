//===- torch_tensors.h - CUDA tensors of torch, read by its C shim --------===//
//
// DLPack's exchange table takes a reference to each tensor that it lends, and with it
// one to its Python object, under a lock of pybind11's: 60 ns a tensor, and as long
// again to ask whether it requires grad. torch's C shim, which torch keeps stable for
// libraries compiled before it (torch/csrc/inductor/aoti_torch/c/shim.h), reads a
// tensor by a handle, the address of an at::Tensor, and a Python tensor has that
// within it. A third of the time; whatever it does not answer, the table does.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_LAUNCH_TORCH_TENSORS_H
#define TKC_LAUNCH_TORCH_TENSORS_H

#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <host/abi.h>

namespace launch::torch_tensors {

// Of torch's functions, up to a null.
extern const char *const names[];

// Takes torch's functions from {name: address}, its number of CUDA devices, and a tuple of its
// numbers of the types of tk_dtype, in their order. False with an exception set where one is
// missing.
bool set(PyObject *addresses, int device_type, PyObject *numbers);

// Where objects of a type have their at::Tensor: asked of one of them, which says by its `_cdata`
// what is there. 0: this type's are not read so.
int find_place(PyObject *object);

inline void *handle_of(PyObject *object, int place) {
  return reinterpret_cast<char *>(object) + place;
}

// Whether it requires grad, by the tensor itself.
bool requires_grad(const void *handle);

// False where another reader should be asked: no CUDA tensor, or one that it has to refuse.
bool read(void *handle, tk_tensor &view, int &device);

} // namespace launch::torch_tensors

#endif // TKC_LAUNCH_TORCH_TENSORS_H
