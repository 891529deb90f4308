//===- KernelFunction.h - Calling a kernel of a shared object -------------===//
#ifndef TKC_RUN_KERNELFUNCTION_H
#define TKC_RUN_KERNELFUNCTION_H

#include "run/Signature.h"

#include "llvm/Support/Error.h"
#include <host/abi.h>

namespace tkc::run {

/// A shared object that was built from emitted text. It stays loaded: children of this process
/// inherit it.
class Library {
public:
  static llvm::Expected<Library> open(const std::string &path);

  /// The C function of a kernel. It takes the type that the signature says.
  llvm::Expected<void *> find(const std::string &name) const;

private:
  void *handle = nullptr;
};

union Scalar {
  float f32;
  int32_t i32;
  uint8_t boolean;
};

/// Calls the C function of a kernel with a null stream. `tensors` and `scalars` are its arguments
/// in order, each list without the other.
tk_status call(void *function, const Signature &signature, std::vector<tk_tensor> tensors,
               std::vector<Scalar> scalars);

} // namespace tkc::run

#endif // TKC_RUN_KERNELFUNCTION_H
