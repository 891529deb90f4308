//===- TkDialect.cpp - Registration and types of the tk dialect -----------===//
//
// Tile and global types print their shape the way builtin tensors do,
// "128x64xbf16", so both have a custom format built on parseDimensionList.
//
//===----------------------------------------------------------------------===//
#include "dialect/tk/Tk.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkOffsetOp.h"
#include "dialect/tk/TkPartOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc::tk;

#include "dialect/tk/TkDialect.cpp.inc"
#include "dialect/tk/TkEnums.cpp.inc"
#include "dialect/tk/TkOpInterfaces.cpp.inc"
#include "dialect/tk/TkTypeInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/tk/TkAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tk/TkTypes.cpp.inc"

void TkDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tk/TkTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tk/TkAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tk/TkOps.cpp.inc"
      , ChoiceOp, ElementOp, OffsetOp, PartOp>();
}

//===----------------------------------------------------------------------===//
// !tk.tile<128x256xf32, register, row>
//===----------------------------------------------------------------------===//

Type TileType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef space;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() || parser.parseKeyword(&space))
    return {};
  if (shape.size() != 2)
    return parser.emitError(loc, "a tile has 2 dimensions, this one has ") << shape.size(), Type();
  std::optional<Space> spaceValue = symbolizeSpace(space);
  if (!spaceValue)
    return parser.emitError(loc, "expected 'register' or 'shared', found '") << space << "'",
           Type();
  Layout layout = Layout::None;
  if (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return {};
    std::optional<Layout> value = symbolizeLayout(keyword);
    if (!value)
      return parser.emitError(loc, "expected 'row' or 'col', found '") << keyword << "'", Type();
    layout = *value;
  }
  if (parser.parseGreater())
    return {};
  return TileType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape[0],
                              shape[1], elementType, *spaceValue, layout);
}

void TileType::print(AsmPrinter &printer) const {
  printer << "<" << getRows() << "x" << getCols() << "x" << getElementType() << ", "
          << stringifySpace(getSpace());
  if (getLayout() != Layout::None)
    printer << ", " << stringifyLayout(getLayout());
  printer << ">";
}

LogicalResult TileType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t rows,
                               int64_t cols, Type elementType, Space space, Layout layout) {
  // An MMA's sums make a register tile eight columns wider.
  const int64_t unit = space == Space::Register ? 8 : 16;
  if (rows <= 0 || cols <= 0 || rows % 16 || cols % unit)
    return emitError() << "a tile's rows and columns are positive multiples of 16, these are "
                       << rows << " x " << cols;
  constexpr int64_t maxExtent = 1 << 16; // far above what any block could hold
  if (rows > maxExtent || cols > maxExtent)
    return emitError() << "a tile has at most " << maxExtent << " rows and columns, these are "
                       << rows << " x " << cols;
  if (!elementType.isIntOrFloat())
    return emitError() << "a tile's element is an integer or a float, this is " << elementType;
  if (space == Space::Register && layout == Layout::None)
    return emitError() << "a register tile needs a layout tag, 'row' or 'col'";
  if (space == Space::Shared && layout != Layout::None)
    return emitError() << "a shared tile has no layout tag, this one has '"
                       << stringifyLayout(layout) << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// !tk.vector<128xf32, register, column>
//===----------------------------------------------------------------------===//

Type TileVectorType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef space, orientation = "none";
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() || parser.parseKeyword(&space))
    return {};
  if (shape.size() != 1)
    return parser.emitError(loc, "a vector has 1 dimension, this one has ") << shape.size(), Type();
  std::optional<Space> spaceValue = symbolizeSpace(space);
  if (!spaceValue)
    return parser.emitError(loc, "expected 'register' or 'shared', found '") << space << "'",
           Type();
  if (succeeded(parser.parseOptionalComma()) && parser.parseKeyword(&orientation))
    return {};
  std::optional<Orientation> orientationValue = symbolizeOrientation(orientation);
  if (!orientationValue)
    return parser.emitError(loc, "expected 'column' or 'row', found '") << orientation << "'",
           Type();
  if (parser.parseGreater())
    return {};
  return TileVectorType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                    shape[0], elementType, *spaceValue, *orientationValue);
}

void TileVectorType::print(AsmPrinter &printer) const {
  printer << "<" << getLength() << "x" << getElementType() << ", " << stringifySpace(getSpace());
  if (getOrientation() != Orientation::None)
    printer << ", " << stringifyOrientation(getOrientation());
  printer << ">";
}

LogicalResult TileVectorType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                     int64_t length, Type elementType, Space space,
                                     Orientation orientation) {
  if (length <= 0 || length % 16)
    return emitError() << "a vector's length is a positive multiple of 16, this is " << length;
  if (!elementType.isIntOrFloat())
    return emitError() << "a vector's element is an integer or a float, this is " << elementType;
  if (orientation == Orientation::Lanes || orientation == Orientation::Split)
    return emitError() << "a vector of the program lies along a tile, 'column' or 'row', not '"
                       << stringifyOrientation(orientation) << "'";
  if (space == Space::Register && orientation == Orientation::None)
    return emitError() << "a register vector needs an orientation, 'column' or 'row'";
  if (space == Space::Shared && orientation != Orientation::None)
    return emitError() << "a shared vector has no orientation, this one has '"
                       << stringifyOrientation(orientation) << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// !tk.global<?x128xbf16>
//===----------------------------------------------------------------------===//

Type GlobalType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape) || parser.parseType(elementType))
    return {};
  bool inFragments = succeeded(parser.parseOptionalComma());
  if ((inFragments && parser.parseKeyword("fragments")) || parser.parseGreater())
    return {};
  return GlobalType::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape,
                                elementType, inFragments);
}

void GlobalType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType() << (getInFragments() ? ", fragments>" : ">");
}

LogicalResult GlobalType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType, bool inFragments) {
  if (shape.empty() || shape.size() > 4)
    return emitError() << "a global tensor has 1 to 4 dimensions, this one has " << shape.size();
  if (!elementType.isIntOrFloat())
    return emitError() << "a tensor's element is an integer or a float, this is " << elementType;
  for (int64_t extent : shape)
    if (!ShapedType::isDynamic(extent) && extent <= 0)
      return emitError() << "a static extent is positive, this is " << extent;
  return success();
}
