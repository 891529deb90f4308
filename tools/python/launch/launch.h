//===- launch.h - A call of a function of a plan --------------------------===//
#ifndef TKC_LAUNCH_LAUNCH_H
#define TKC_LAUNCH_LAUNCH_H

#include "driver.h"
#include "plan.h"

namespace launch {

// Around whatever may wait for the driver; null if nobody cares.
struct around_launch {
  void *(*leave)();
  void (*enter)(void *);
};
extern around_launch interpreter;

// Does what the emitted C function of this name does, and answers with the same status.
tk_status run(function &of, call &with);

// Loads a kernel into the current context, which its first launch would do.
tk_status prepare(kernel &of, int device);

} // namespace launch

#endif // TKC_LAUNCH_LAUNCH_H
