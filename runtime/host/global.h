//===- host/global.h - A tensor that threads reach by themselves ----------===//
//
// Plain C++: the GPU's and the emulator's launchers share it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_GLOBAL_H
#define TK_HOST_GLOBAL_H

#include <host/arguments.h>
#include <tile/parameters.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

// `tensor` has been accepted by host::arguments, with this element type and rank.
template <typename T, int rank> gl<T, rank> global(const tk_tensor *tensor) {
  gl<T, rank> view;
  view.data = tensor->data;
  for (int i = 0; i < rank; ++i) {
    view.extents[i] = int(tensor->extents[i]);
    view.strides[i] = tensor->strides[i] * dtype_bytes(tensor->dtype);
  }
  return view;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_GLOBAL_H
