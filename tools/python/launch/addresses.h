//===- addresses.h - Functions that Python hands over ----------------------===//
//
// The module links neither CUDA nor torch: Python finds their functions and hands
// over a dictionary {name: address}.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_LAUNCH_ADDRESSES_H
#define TKC_LAUNCH_ADDRESSES_H

#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace launch {

// Null where the dictionary has no such name.
template <typename F> bool find_address(PyObject *addresses, const char *name, F *&function) {
  PyObject *address = PyDict_Check(addresses) ? PyDict_GetItemString(addresses, name) : nullptr;
  function = address ? reinterpret_cast<F *>(PyLong_AsVoidPtr(address)) : nullptr;
  return function != nullptr;
}

} // namespace launch

#endif // TKC_LAUNCH_ADDRESSES_H
