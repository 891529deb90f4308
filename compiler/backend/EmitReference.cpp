#include "backend/EmitCuda.h"
mlir::LogicalResult tkc::emitReference(mlir::ModuleOp module, const EmitOptions &options, llvm::raw_ostream &os) { return mlir::failure(); }
