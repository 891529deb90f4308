//===- EmitChoice.h - The functions that choose among kernels -------------===//
#ifndef TKC_BACKEND_EMITCHOICE_H
#define TKC_BACKEND_EMITCHOICE_H

#include "backend/CudaPrinter.h"
#include "dialect/tk/TkChoiceOp.h"

namespace tkc::backend {

/// Defines the three C functions of a choice `gemm`: gemm launches the kernel that is predicted to
/// be the fastest, gemm_choice says which one that is, gemm_as launches the one it is told. In a
/// reference, whose kernels are tk.kernels, the first one is as good as any. False if an error was
/// reported.
bool emitChoice(tk::ChoiceOp choice, CudaPrinter &out);

/// Declares them for the header.
void declareChoice(tk::ChoiceOp choice, CudaPrinter &out);

} // namespace tkc::backend

#endif // TKC_BACKEND_EMITCHOICE_H
