//===- host/note_tensor.h - Which memory a launch may touch ---------------===//
#ifndef TK_HOST_NOTE_TENSOR_H
#define TK_HOST_NOTE_TENSOR_H

#include <core/interface.h>
#include <host/abi.h>

namespace tk {
namespace host {

inline void note_launch() { emulator::forget_global(); }
inline void note_tensor(const char *name, const tk_tensor &t, int64_t element_bytes) {
  emulator::note_global(name, t, element_bytes);
}
inline void note_memory(const char *name, const void *memory, int64_t bytes) {
  tk_tensor all = {};
  all.data = const_cast<void *>(memory);
  all.rank = 1;
  all.extents[0] = bytes;
  all.strides[0] = 1;
  emulator::note_global(name, all, 1);
}

} // namespace host
} // namespace tk

#endif // TK_HOST_NOTE_TENSOR_H
