//===- ImportMaps.cpp - Elementwise builtins to tk.map --------------------===//
//
// One tk.map for each builtin, whatever it is called with; tk-fuse-elementwise makes
// one of several. The elements become numbers first, and the result an element
// last, as the language header has it.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

mlir::Value BuiltinImporter::createMap(mlir::Location loc, mlir::Type type, mlir::ValueRange inputs,
                                       bool coordinates, Body body) {
  llvm::SmallVector<mlir::Value> elements;
  for (mlir::Value input : inputs)
    if (isa<tk::ElementsInterface>(input.getType()))
      elements.push_back(input);
  bool ok = true;
  ScalarMath math = mathAt(loc);
  auto buildBody = [&](mlir::OpBuilder &, mlir::Location, mlir::ValueRange arguments) {
    mlir::ValueRange at = arguments.drop_front(elements.size());
    llvm::SmallVector<mlir::Value> numbers;
    for (mlir::Value input : inputs)
      if (isa<tk::ElementsInterface>(input.getType())) {
        numbers.push_back(math.toNumber(arguments.front()));
        arguments = arguments.drop_front();
      } else {
        numbers.push_back(input);
      }
    mlir::Value result = body(math, numbers, at);
    ok = bool(result);
    if (ok)
      kernel.builder.create<tk::YieldOp>(
          loc, math.toElement(result, cast<tk::ElementsInterface>(type).getElementType()));
  };
  auto map = kernel.builder.create<tk::MapOp>(loc, type, elements, coordinates, buildBody);
  if (ok)
    return map.getResult(0);
  map.erase();
  return {};
}

mlir::Value BuiltinImporter::convert(mlir::Value value, mlir::Type element, mlir::Location loc) {
  auto type = cast<tk::ElementsInterface>(value.getType());
  if (type.getElementType() == element)
    return value;
  return createMap(loc, type.withElementType(element), value, /*coordinates=*/false,
                   [](ScalarMath &, auto numbers, auto) { return numbers[0]; });
}

static llvm::SmallVector<mlir::Value> valuesOf(llvm::ArrayRef<Operand> operands) {
  return llvm::map_to_vector(operands, [](const Operand &operand) { return operand.value; });
}

//===----------------------------------------------------------------------===//
// exp(x), a + b, fma(a, b, c)
//===----------------------------------------------------------------------===//

mlir::Value BuiltinImporter::importElementwise(const BuiltinCall &builtin) {
  const NumberFunction *function = findNumberFunction(builtin.word);
  llvm::SmallVector<Operand> operands;
  for (const Expr *expr : builtin.operands)
    operands.push_back(importRegistersOrNumber(builtin, expr));
  if (!llvm::all_of(operands, [](const Operand &operand) { return bool(operand); }))
    return {};
  // The first tile or vector decides what the result is.
  auto leader = llvm::find_if(operands, [](const Operand &x) { return x.isElements(); });
  if (leader == operands.end()) {
    error(builtin.expr, Message::numbers_alone)
        << nameOf(builtin) << builtin.expr->getSourceRange();
    return {};
  }
  for (const Operand &operand : operands)
    if (!checkBeside(builtin, operand, *leader))
      return {};
  if (!checkDestination(builtin, leader->type()))
    return {};
  return createMap(
      locate(builtin.expr), leader->type(), valuesOf(operands), /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function->build(math, numbers); });
}

//===----------------------------------------------------------------------===//
// Vectors along tiles
//===----------------------------------------------------------------------===//

mlir::Value BuiltinImporter::importAlong(const BuiltinCall &builtin) {
  auto [word, orientation] = [&]() -> std::pair<Word, tk::Orientation> {
    switch (builtin.word) {
    case Word::add_row:
      return {Word::add, tk::Orientation::Column};
    case Word::sub_row:
      return {Word::sub, tk::Orientation::Column};
    case Word::mul_row:
      return {Word::mul, tk::Orientation::Column};
    case Word::div_row:
      return {Word::div, tk::Orientation::Column};
    case Word::add_col:
      return {Word::add, tk::Orientation::Row};
    case Word::sub_col:
      return {Word::sub, tk::Orientation::Row};
    case Word::mul_col:
      return {Word::mul, tk::Orientation::Row};
    default:
      return {Word::div, tk::Orientation::Row};
    }
  }();
  Operand x = importTile(builtin, builtin.operands[0]),
          v = importVector(builtin, builtin.operands[1]);
  if (!x || !v || !checkOrientation(builtin, v, orientation) || !checkBeside(builtin, v, x) ||
      !checkDestination(builtin, x.type()))
    return {};
  const NumberFunction *function = findNumberFunction(word);
  return createMap(
      locate(builtin.expr), x.type(), {x.value, v.value}, /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function->build(math, numbers); });
}

mlir::Value BuiltinImporter::importBroadcast(const BuiltinCall &builtin) {
  mlir::Type type = importType(builtin);
  Operand v = importVector(builtin, builtin.operands[0]);
  if (!type || !v || !checkResult(builtin, type))
    return {};
  if (!checkLies(cast<tk::TileVectorType>(v.type()), cast<tk::TileType>(type), v.expr)) {
    noteDeclaration(v.expr);
    return {};
  }
  return createMap(locate(builtin.expr), type, v.value, /*coordinates=*/false,
                   [](ScalarMath &, auto numbers, auto) { return numbers[0]; });
}

mlir::Value BuiltinImporter::importOuter(const BuiltinCall &builtin) {
  Operand a = importVector(builtin, builtin.operands[0]),
          b = importVector(builtin, builtin.operands[1]);
  if (!a || !b || !checkOrientation(builtin, a, tk::Orientation::Column) ||
      !checkOrientation(builtin, b, tk::Orientation::Row) || !checkElements(builtin, b, a))
    return {};
  auto type =
      tk::TileType::get(kernel.builder.getContext(), a.elements().getRows(), b.elements().getCols(),
                        a.elements().getElementType(), tk::Space::Register, tk::Layout::Row);
  if (!checkDestination(builtin, type))
    return {};
  const NumberFunction *function =
      findNumberFunction(builtin.word == Word::outer_add   ? Word::add
                         : builtin.word == Word::outer_sub ? Word::sub
                                                           : Word::mul);
  return createMap(
      locate(builtin.expr), type, {a.value, b.value}, /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function->build(math, numbers); });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

mlir::Value BuiltinImporter::importConversion(const BuiltinCall &builtin) {
  mlir::Type type = importType(builtin);
  Operand from = importRegisters(builtin, builtin.operands[0]);
  if (!type || !from || !checkResult(builtin, type))
    return {};
  mlir::Type element = cast<tk::ElementsInterface>(type).getElementType();
  if (from.elements().withElementType(element) != type)
    return refuseConversion(builtin);
  return convert(from.value, element, locate(builtin.expr));
}

mlir::Value BuiltinImporter::refuseConversion(const BuiltinCall &builtin) {
  const Expr *from = builtin.operands[0];
  auto to = dyn_cast_or_null<tk::ElementsInterface>(importType(builtin));
  Operand operand = importOperand(from);
  if (!to || !operand)
    return {};
  tk::ElementsInterface source = operand.elements();
  error(from, Message::no_conversion) << spell(source) << spell(to) << from->getSourceRange();
  noteDeclaration(from);
  if (KernelImporter::isShared(to)) {
    error(from, Message::note_store_result);
  } else if (KernelImporter::isShared(source)) {
    error(from, Message::note_load_first) << unsigned(to.isVector());
  } else if (source.withElementType(to.getElementType()) == to) {
    noteWrap(from, Message::note_convert, spell(to));
  } else if (source.getRows() == to.getRows() && source.getCols() == to.getCols()) {
    noteWrap(from, Message::note_swap_layout, "swap_layout");
  } else if (source.getRows() == to.getCols() && source.getCols() == to.getRows()) {
    noteWrap(from, Message::note_transpose, "transpose");
  }
  return {};
}
