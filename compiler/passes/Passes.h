//===- Passes.h - Creation and registration of the passes -----------------===//
//
// Generated from Passes.td: createVerifyLayouts(), ... and registerPasses().
//
//===----------------------------------------------------------------------===//
#ifndef TKC_PASSES_PASSES_H
#define TKC_PASSES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tkc {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

inline void registerPasses() { registerTkcPasses(); }

} // namespace tkc

#endif // TKC_PASSES_PASSES_H
