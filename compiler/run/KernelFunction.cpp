//===- KernelFunction.cpp - Calling a kernel of a shared object -----------===//
//
// A kernel's type is known only now, so libffi makes the call. LLVM's
// DynamicLibrary is not used: it makes the symbols of all libraries global, and
// the emulated kernel and its reference have the same names.
//
//===----------------------------------------------------------------------===//
#include "run/KernelFunction.h"

#include <dlfcn.h>
#include <ffi.h>

using namespace llvm;
using namespace tkc::run;

Expected<Library> Library::open(const std::string &path) {
  Library library;
  library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle)
    return createStringError(Twine("cannot load what was built: ") + dlerror());
  return library;
}

Expected<void *> Library::find(const std::string &name) const {
  if (void *function = dlsym(handle, name.c_str()))
    return function;
  return createStringError("it has no function '" + name + "'");
}

static ffi_type *typeOf(const Argument &argument) {
  if (!argument.scalar)
    return &ffi_type_pointer;
  switch (*argument.scalar) {
  case ScalarKind::F32:
    return &ffi_type_float;
  case ScalarKind::I32:
    return &ffi_type_sint32;
  case ScalarKind::Bool:
    return &ffi_type_uint8;
  }
  return nullptr;
}

tk_status tkc::run::call(void *function, const Signature &signature, std::vector<tk_tensor> tensors,
                         std::vector<Scalar> scalars) {
  ffi_type *members[] = {&ffi_type_sint32, &ffi_type_pointer, nullptr};
  ffi_type statusType = {};
  statusType.type = FFI_TYPE_STRUCT;
  statusType.elements = members;

  std::vector<ffi_type *> types;
  std::vector<tk_tensor *> pointers;
  std::vector<void *> values;
  for (tk_tensor &tensor : tensors)
    pointers.push_back(&tensor);
  auto nextTensor = pointers.begin();
  auto nextScalar = scalars.begin();
  for (const Argument &argument : signature.arguments) {
    types.push_back(typeOf(argument));
    values.push_back(argument.scalar ? static_cast<void *>(&*nextScalar++) : &*nextTensor++);
  }
  tk_stream stream = nullptr;
  types.push_back(&ffi_type_pointer);
  values.push_back(&stream);

  ffi_cif interface;
  tk_status status = {TK_OK, ""};
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, unsigned(types.size()), &statusType,
                   types.data()) != FFI_OK)
    return {TK_LAUNCH_FAILED, "libffi cannot call a function of this type"};
  ffi_call(&interface, FFI_FN(function), &status, values.data());
  return status;
}
