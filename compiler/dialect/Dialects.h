//===- Dialects.h - The dialects that a module may hold -------------------===//
#ifndef TKC_DIALECT_DIALECTS_H
#define TKC_DIALECT_DIALECTS_H

#include "dialect/hopper/Hopper.h"
#include "dialect/tk/Tk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectRegistry.h"

namespace tkc {

/// Both dialects of tkc, and those of MLIR that they stand among.
inline void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<tk::TkDialect, hopper::HopperDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
}

} // namespace tkc

#endif // TKC_DIALECT_DIALECTS_H
