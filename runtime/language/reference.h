//===- reference.h - A .tk file as the C functions of its kernels ---------===//
//
// `tkc --emit=reference` writes a file that includes this header, then the .tk
// file itself, and exports the C function of each kernel: the same function, with
// the same argument checks, as the emitted CUDA has.
//
//===----------------------------------------------------------------------===//
#ifndef TK_LANGUAGE_REFERENCE_H
#define TK_LANGUAGE_REFERENCE_H

#include <host/abi.h>
#include <host/arguments.h>

#include "tk.h"

namespace tk::reference {

/// A checked argument of the C function, which becomes the `gl` that the kernel wants.
class tensor {
public:
  explicit tensor(const tk_tensor *view) : view(*view) {}

  template <typename T, int... extents> operator gl<T, extents...>() const {
    return as<gl<T, extents...>, T>();
  }
  template <typename T, int... extents> operator gl_fragments<T, extents...>() const {
    return as<gl_fragments<T, extents...>, T>();
  }

private:
  template <typename R, typename T> R as() const {
    long long sizes[4], steps[4];
    for (int i = 0; i < 4; ++i) {
      sizes[i] = i < view.rank ? view.extents[i] : 1;
      steps[i] = i < view.rank ? view.strides[i] : 1;
    }
    return R(static_cast<T *>(view.data), sizes, steps);
  }

  const tk_tensor &view;
};

} // namespace tk::reference

// There is nothing to load.
extern "C" __attribute__((weak)) tk_status tk_prepare(void) { return tk::host::ok_status(); }

#endif // TK_LANGUAGE_REFERENCE_H
