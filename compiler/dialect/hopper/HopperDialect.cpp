//===- HopperDialect.cpp - Registration and types of the hopper dialect ---===//
#include "dialect/hopper/Hopper.h"

#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/HopperOrderOps.h"
#include "dialect/hopper/HopperPartOps.h"
#include "dialect/hopper/HopperPrefetchOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "dialect/hopper/SharedLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc::hopper;

#include "dialect/hopper/HopperDialect.cpp.inc"
#include "dialect/hopper/HopperEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/hopper/HopperAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/hopper/HopperTypes.cpp.inc"

void HopperDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/hopper/HopperTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hopper/HopperAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/hopper/HopperOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/hopper/HopperPartOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/hopper/HopperElementOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/hopper/HopperTileOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/hopper/HopperOrderOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/hopper/HopperPrefetchOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Legal types
//===----------------------------------------------------------------------===//

/// Far above what a block could hold, and low enough that sizes in bytes fit 64 bits.
static constexpr int64_t maxExtent = 1 << 16;

static LogicalResult verifyTile(function_ref<InFlightDiagnostic()> emitError, int64_t rows,
                                int64_t cols, Type elementType) {
  if (rows < 1 || cols < 1 || rows > maxExtent || cols > maxExtent)
    return emitError() << "a tile has 1 to " << maxExtent << " rows and columns, these are " << rows
                       << " x " << cols;
  if (!elementType.isIntOrFloat())
    return emitError() << "a tile's element is an integer or a float, this is " << elementType;
  return success();
}

static LogicalResult verifyStages(function_ref<InFlightDiagnostic()> emitError, int64_t stages) {
  if (stages < 1 || stages > maxExtent)
    return emitError() << "a ring has 1 to " << maxExtent << " stages, this one has " << stages;
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t stages,
                               int64_t rows, int64_t cols, Type elementType, bool withOnes) {
  if (failed(verifyStages(emitError, stages)) ||
      failed(verifyTile(emitError, rows, cols, elementType)))
    return failure();
  if (withOnes && (tkc::tk::getStorageBits(elementType) != 16 || !getAtomCols(cols, elementType)))
    return emitError() << "ones stand beside swizzle-atom columns of 16-bit elements, not beside "
                       << rows << " x " << cols << " of " << elementType;
  return success();
}
int64_t RingType::getStageBytes() const {
  return getTileBytes(getRows(), getCols(), getElementType(), getWithOnes());
}
LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows,
                                 int64_t cols, Type elementType) {
  return verifyTile(emitError, rows, cols, elementType);
}
LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows,
                                   int64_t cols, Type elementType) {
  return verifyTile(emitError, rows, cols, elementType);
}
LogicalResult BarrierType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t stages) {
  return verifyStages(emitError, stages);
}
LogicalResult CursorType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t stages) {
  return verifyStages(emitError, stages);
}

//===----------------------------------------------------------------------===//
// How they are written
//===----------------------------------------------------------------------===//

/// Parses "128x64xbf16"; every tile type of this dialect ends with it.
static ParseResult parseShape(AsmParser &parser, int64_t &rows, int64_t &cols, Type &elementType) {
  SmallVector<int64_t> shape;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType))
    return failure();
  if (shape.size() != 2)
    return parser.emitError(loc, "a tile has 2 dimensions, this one has ") << shape.size();
  rows = shape[0];
  cols = shape[1];
  return success();
}

/// Parses and prints a type that is a shape and nothing else.
template <typename ShapeType> static Type parseShapeOnly(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t rows, cols;
  Type elementType;
  if (parser.parseLess() || parseShape(parser, rows, cols, elementType) || parser.parseGreater())
    return {};
  return ShapeType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), rows,
                               cols, elementType);
}
template <typename ShapeType> static void printShapeOnly(AsmPrinter &printer, ShapeType type) {
  printer << "<" << type.getRows() << "x" << type.getCols() << "x" << type.getElementType() << ">";
}

Type SharedType::parse(AsmParser &parser) { return parseShapeOnly<SharedType>(parser); }
void SharedType::print(AsmPrinter &printer) const { printShapeOnly(printer, *this); }
Type FragmentType::parse(AsmParser &parser) { return parseShapeOnly<FragmentType>(parser); }
void FragmentType::print(AsmPrinter &printer) const { printShapeOnly(printer, *this); }

Type FragmentVectorType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef keyword;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() || parser.parseKeyword(&keyword) ||
      parser.parseGreater())
    return {};
  if (shape.size() != 1)
    return parser.emitError(loc, "a vector has 1 dimension, this one has ") << shape.size(), Type();
  std::optional<tkc::tk::Orientation> orientation = tkc::tk::symbolizeOrientation(keyword);
  if (!orientation)
    return parser.emitError(loc, "expected 'column' or 'row', found '") << keyword << "'", Type();
  return FragmentVectorType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                        shape[0], elementType, *orientation);
}

void FragmentVectorType::print(AsmPrinter &printer) const {
  printer << "<" << getLength() << "x" << getElementType() << ", "
          << tkc::tk::stringifyOrientation(getOrientation()) << ">";
}

LogicalResult FragmentVectorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                         int64_t length, Type elementType,
                                         tkc::tk::Orientation orientation) {
  int64_t unit = orientation == tkc::tk::Orientation::Row     ? 8
                 : orientation == tkc::tk::Orientation::Split ? 16
                 : orientation == tkc::tk::Orientation::Lanes ? warpLanes
                                                              : mBlockRows;
  if (length <= 0 || length % unit)
    return emitError() << "a " << tkc::tk::stringifyOrientation(orientation)
                       << " vector's length is a positive multiple of " << unit << ", this is "
                       << length;
  if (orientation == tkc::tk::Orientation::None)
    return emitError() << "a warpgroup's vector needs an orientation, 'column' or 'row'";
  if (orientation == tkc::tk::Orientation::Split && !elementType.isF32())
    return emitError() << "a vector of " << elementType
                       << " is not split; a float is the sum of two bf16";
  return success();
}

Type RingType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t stages, rows, cols;
  Type elementType;
  bool withOnes = false;
  if (parser.parseLess() || parser.parseInteger(stages) || parser.parseComma() ||
      parseShape(parser, rows, cols, elementType))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    withOnes = true;
    if (parser.parseKeyword("with_ones"))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return RingType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), stages,
                              rows, cols, elementType, withOnes);
}

void RingType::print(AsmPrinter &printer) const {
  printer << "<" << getStages() << ", " << getRows() << "x" << getCols() << "x" << getElementType()
          << (getWithOnes() ? ", with_ones>" : ">");
}
