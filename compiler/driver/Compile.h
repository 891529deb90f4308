//===- Compile.h - One source file to the requested output ----------------===//
#ifndef TKC_DRIVER_COMPILE_H
#define TKC_DRIVER_COMPILE_H

#include "driver/Options.h"

namespace tkc {

/// Compiles as the options say. Returns the exit status: 0, or 1 after an error, which has then
/// been printed; nothing is written unless all of it could be made.
int compile(const Options &options);

} // namespace tkc

#endif // TKC_DRIVER_COMPILE_H
