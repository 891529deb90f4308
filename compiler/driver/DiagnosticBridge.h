//===- DiagnosticBridge.h - MLIR diagnostics through Clang's engine -------===//
#ifndef TKC_DRIVER_DIAGNOSTICBRIDGE_H
#define TKC_DRIVER_DIAGNOSTICBRIDGE_H

#include "mlir/IR/Diagnostics.h"

namespace clang {
class DiagnosticsEngine;
class SourceManager;
} // namespace clang

namespace tkc {

/// While it lives, what a pass reports goes to Clang's diagnostics engine: one stream with carets,
/// colours, notes and -verify for all errors, whichever stage finds them. What the copies of an
/// unrolled loop, or the instances of a template, say in the same words of one place is said once.
class DiagnosticBridge : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticBridge(mlir::MLIRContext &context, clang::DiagnosticsEngine &engine,
                   clang::SourceManager &sources);
};

} // namespace tkc

#endif // TKC_DRIVER_DIAGNOSTICBRIDGE_H
