//===- EmitLauncher.h - The definition of a kernel's C function -----------===//
#ifndef TKC_BACKEND_EMITLAUNCHER_H
#define TKC_BACKEND_EMITLAUNCHER_H

#include "backend/CudaPrinter.h"
#include "backend/KernelFacts.h"

namespace tkc::backend {

/// `target` = how many tiles a grid of these extents has.
void emitTileCount(llvm::StringRef target, llvm::ArrayRef<std::string> extents, CudaPrinter &out);

/// False if an error was reported.
bool emitLauncher(const KernelFacts &facts, CudaPrinter &out);

} // namespace tkc::backend

#endif // TKC_BACKEND_EMITLAUNCHER_H
