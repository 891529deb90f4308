//===- EmitLauncher.h - The C function of a kernel ------------------------===//
#ifndef TKC_BACKEND_EMITLAUNCHER_H
#define TKC_BACKEND_EMITLAUNCHER_H

#include "backend/CudaPrinter.h"
#include "backend/KernelFacts.h"

namespace tkc::backend {

/// `head` gemm(const tk_tensor *A, ..., tk_stream stream) `tail`.
void emitSignature(const KernelFacts &facts, CudaPrinter &out, llvm::StringRef head, llvm::StringRef tail);

/// The checks of the arguments: what a kernel's C function says before it does anything.
bool emitArgumentChecks(const KernelFacts &facts, CudaPrinter &out);

/// The definition of the C function. False if an error was reported.
bool emitLauncher(const KernelFacts &facts, CudaPrinter &out);

} // namespace tkc::backend

#endif // TKC_BACKEND_EMITLAUNCHER_H
