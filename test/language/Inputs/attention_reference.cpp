// The C functions of attention.tk, as `tkc --emit=reference` writes them.
#include <language/reference.h>

#include "../attention.tk"

#define EXPORT(name, ...)                                                                          \
  extern "C" tk_status name(const tk_tensor *Q, const tk_tensor *K, const tk_tensor *V,            \
                            const tk_tensor *O, float scale, tk_stream) {                          \
    using tk::reference::tensor;                                                                   \
    __VA_ARGS__(tensor(Q), tensor(K), tensor(V), tensor(O), scale);                                \
    return {};                                                                                     \
  }

EXPORT(attention, attention<128>)
EXPORT(attention_causal, attention<128, true>)
EXPORT(attention_64, attention<64, false, 64, 96>)
EXPORT(attention_64_causal, attention<64, true, 64, 96>)
