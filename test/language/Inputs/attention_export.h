//===- attention_export.h - The C function of an attention kernel ---------===//
//
// As `tkc --emit=reference` writes it.
//
//===----------------------------------------------------------------------===//
#include <language/reference.h>

#define EXPORT(name, ...)                                                                          \
  extern "C" tk_status name(const tk_tensor *Q, const tk_tensor *K, const tk_tensor *V,            \
                            const tk_tensor *O, float scale, tk_stream) {                          \
    using tk::reference::tensor;                                                                   \
    __VA_ARGS__(tensor(Q), tensor(K), tensor(V), tensor(O), scale);                                \
    return {};                                                                                     \
  }
