//===- outputs.h - Outputs that a call leaves out --------------------------===//
#ifndef TKC_LAUNCH_OUTPUTS_H
#define TKC_LAUNCH_OUTPUTS_H

#include "binding.h"

namespace launch {

// A new tensor for argument `index`, on the device of `like`, its extents those of tensors that are
// given. Null with an exception set.
PyObject *make_output(function_object &self, int index, const binding &given, const call &with,
                      PyObject *like, int device);

void forget(known_allocation &of);

} // namespace launch

#endif // TKC_LAUNCH_OUTPUTS_H
