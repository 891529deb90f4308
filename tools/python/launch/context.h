//===- context.h - What a launch asks of a CUDA context -------------------===//
#ifndef TKC_LAUNCH_CONTEXT_H
#define TKC_LAUNCH_CONTEXT_H

#include "driver.h"
#include "plan.h"

#include <host/status.h>

namespace launch {

struct context_facts {
  unsigned long long number;
  int device, num_sms, max_shared_bytes;
};

// Makes the primary context of a device current, if another one is or none, and takes it back. If
// `result` is good, `facts` are those of the context.
class current_context {
public:
  current_context(const char *name, int device);
  ~current_context();
  current_context(const current_context &) = delete;
  current_context &operator=(const current_context &) = delete;

  tk_status result;
  context_facts facts;

private:
  bool pushed = false;
};

// The kernel in the current context.
tk_status load(kernel &of, const context_facts &context, loaded_kernel &found);

// The driver's words for an error.
const char *describe(CUresult error);

} // namespace launch

#endif // TKC_LAUNCH_CONTEXT_H
