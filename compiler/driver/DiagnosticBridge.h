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
/// colours, notes and -verify for all errors, whichever stage finds them. Copies of an unrolled
/// loop, and instances of a template, say the same words about one place once.
class DiagnosticBridge : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticBridge(mlir::MLIRContext &context, clang::DiagnosticsEngine &engine,
                   clang::SourceManager &sources);
};

} // namespace tkc

#endif // TKC_DRIVER_DIAGNOSTICBRIDGE_H
