//===- ImportMaps.cpp - Elementwise verbs to tk.map -----------------------===//
//
// One tk.map for each verb, whatever it is called with; tk-fuse-elementwise makes
// one of several. The elements become numbers first, and the result an element
// last, as the language header has it.
//
//===----------------------------------------------------------------------===//
#include "frontend/VerbImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

mlir::Value VerbImporter::createMap(mlir::Location loc, mlir::Type type, mlir::ValueRange inputs,
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

mlir::Value VerbImporter::convert(mlir::Value value, mlir::Type element, mlir::Location loc) {
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

mlir::Value VerbImporter::importElementwise(const VerbCall &verb) {
  const NumberFunction *function = findNumberFunction(verb.word);
  llvm::SmallVector<Operand> operands;
  for (const Expr *expr : verb.operands)
    operands.push_back(importRegistersOrNumber(verb, expr));
  if (!llvm::all_of(operands, [](const Operand &operand) { return bool(operand); }))
    return {};
  // The first tile or vector decides what the result is.
  auto leader = llvm::find_if(operands, [](const Operand &x) { return x.isElements(); });
  if (leader == operands.end()) {
    error(verb.expr, Message::numbers_alone) << nameOf(verb) << verb.expr->getSourceRange();
    return {};
  }
  for (const Operand &operand : operands)
    if (!checkBeside(verb, operand, *leader))
      return {};
  if (!checkDestination(verb, leader->type()))
    return {};
  return createMap(
      locate(verb.expr), leader->type(), valuesOf(operands), /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function->build(math, numbers); });
}

//===----------------------------------------------------------------------===//
// Vectors along tiles
//===----------------------------------------------------------------------===//

mlir::Value VerbImporter::importAlong(const VerbCall &verb) {
  auto [word, orientation] = [&]() -> std::pair<Word, tk::Orientation> {
    switch (verb.word) {
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
  Operand x = importTile(verb, verb.operands[0]), v = importVector(verb, verb.operands[1]);
  if (!x || !v || !checkOrientation(verb, v, orientation) || !checkBeside(verb, v, x) ||
      !checkDestination(verb, x.type()))
    return {};
  const NumberFunction *function = findNumberFunction(word);
  return createMap(
      locate(verb.expr), x.type(), {x.value, v.value}, /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function->build(math, numbers); });
}

mlir::Value VerbImporter::importBroadcast(const VerbCall &verb) {
  mlir::Type type = importType(verb);
  Operand v = importVector(verb, verb.operands[0]);
  if (!type || !v || !checkResult(verb, type))
    return {};
  if (!checkLies(cast<tk::TileVectorType>(v.type()), cast<tk::TileType>(type), v.expr)) {
    noteDeclaration(v.expr);
    return {};
  }
  return createMap(locate(verb.expr), type, v.value, /*coordinates=*/false,
                   [](ScalarMath &, auto numbers, auto) { return numbers[0]; });
}

mlir::Value VerbImporter::importOuter(const VerbCall &verb) {
  Operand a = importVector(verb, verb.operands[0]), b = importVector(verb, verb.operands[1]);
  if (!a || !b || !checkOrientation(verb, a, tk::Orientation::Column) ||
      !checkOrientation(verb, b, tk::Orientation::Row) || !checkElements(verb, b, a))
    return {};
  auto type =
      tk::TileType::get(kernel.builder.getContext(), a.elements().getRows(), b.elements().getCols(),
                        a.elements().getElementType(), tk::Space::Register, tk::Layout::Row);
  if (!checkDestination(verb, type))
    return {};
  const NumberFunction *function = findNumberFunction(verb.word == Word::outer_add   ? Word::add
                                                      : verb.word == Word::outer_sub ? Word::sub
                                                                                     : Word::mul);
  return createMap(
      locate(verb.expr), type, {a.value, b.value}, /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function->build(math, numbers); });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

mlir::Value VerbImporter::importConversion(const VerbCall &verb) {
  mlir::Type type = importType(verb);
  Operand from = importRegisters(verb, verb.operands[0]);
  if (!type || !from || !checkResult(verb, type))
    return {};
  mlir::Type element = cast<tk::ElementsInterface>(type).getElementType();
  if (from.elements().withElementType(element) != type)
    return refuseConversion(verb);
  return convert(from.value, element, locate(verb.expr));
}

mlir::Value VerbImporter::refuseConversion(const VerbCall &verb) {
  const Expr *from = verb.operands[0];
  auto to = dyn_cast_or_null<tk::ElementsInterface>(importType(verb));
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
