//===- host/note_tensor.h - Which memory a launch may touch ---------------===//
//
// A launcher's checks name the tensors here as they accept them. The GPU has no
// use for it; the emulator's header of the same name keeps them, so that accesses
// outside of them are reported.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_NOTE_TENSOR_H
#define TK_HOST_NOTE_TENSOR_H

#include <host/abi.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

inline void note_launch() {}
inline void note_tensor(const char *, const tk_tensor &, int64_t) {}
// Other memory that a kernel uses: `bytes` of it.
inline void note_memory(const char *, const void *, int64_t) {}

} // namespace host
} // namespace tk

#endif // TK_HOST_NOTE_TENSOR_H
