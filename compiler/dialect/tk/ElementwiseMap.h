//===- ElementwiseMap.h - The form that tk.map and hopper.map share -------===//
//
// Both dialects have a map: the same syntax, body and rules over tiles of one or
// fragments of the other. Their common code is written here once, over
// types that implement ElementsInterface.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_DIALECT_TK_ELEMENTWISEMAP_H
#define TKC_DIALECT_TK_ELEMENTWISEMAP_H

#include "mlir/IR/OpImplementation.h"

namespace tkc::tk {

/// Operands that a map of the runtime takes (runtime/hopper/tile/map.h).
inline constexpr unsigned maxMapInputs = 5;

/// Builds a map's body, which gets the operands' elements, then the coordinates.
using MapBody = llvm::function_ref<void(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

void buildMap(mlir::OpBuilder &builder, mlir::OperationState &state, mlir::TypeRange resultTypes,
              mlir::ValueRange inputs, bool coordinates, MapBody body);

/// `(%x = %s : type, ...) at (%r, %c) attributes {...} -> type { body }`
mlir::ParseResult parseMap(mlir::OpAsmParser &parser, mlir::OperationState &result);
void printMap(mlir::Operation *map, mlir::OpAsmPrinter &printer);

/// Shapes, body arguments, and a body that computes with scalars and has no effects.
mlir::LogicalResult verifyMap(mlir::Operation *map);

/// The parts of verifyMap that do not need results: an argument for an element of each operand and
/// for each coordinate, if there are any; a body of scalars.
mlir::LogicalResult verifyBodyArguments(mlir::Operation *map, unsigned coordinates);
mlir::LogicalResult verifyScalarBody(mlir::Operation *map);

/// A tile or vector as messages say it: "128 x 64", "a value for each of 128 rows".
std::string describeExtents(mlir::Type type);

} // namespace tkc::tk

#endif // TKC_DIALECT_TK_ELEMENTWISEMAP_H
