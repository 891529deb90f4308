//===- ImportMaps.cpp - Elementwise builtins to tk.map --------------------===//
//
// One tk.map for each builtin, whatever it is called with; tk-fuse-elementwise makes
// one of several. The elements become numbers first, and the result an element
// last, as the language header has it.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinCall.h"
#include "frontend/ElementLambda.h"
#include "frontend/SharedValues.h"

using namespace clang;
using namespace tkc;

static llvm::SmallVector<mlir::Value> valuesOf(llvm::ArrayRef<Operand> operands) {
  return llvm::map_to_vector(operands, [](const Operand &operand) { return operand.value; });
}

//===----------------------------------------------------------------------===//
// exp(x), a + b, fma(a, b, c)
//===----------------------------------------------------------------------===//

static bool isOfBits(Word word) {
  switch (word) {
#define TKC_BITS(name, formula) case Word::name:
#include "frontend/Builtins.def"
    return true;
  default:
    return false;
  }
}

/// Floats have no bits of their own accord.
static bool checkBits(BuiltinCall &builtin, const Operand &operand) {
  mlir::Type element = operand.isElements() ? operand.elements().getElementType() : operand.type();
  if (!isOfBits(builtin.word) || !isa<mlir::FloatType>(element))
    return true;
  builtin.error(operand.expr, Message::bits_of_float)
      << builtin.name() << spell(element) << operand.expr->getSourceRange();
  builtin.noteDeclaration(operand.expr);
  return false;
}

mlir::Value tkc::importElementwise(BuiltinCall &builtin) {
  NumberFunction function = findNumberFunction(builtin.word);
  llvm::SmallVector<Operand> operands;
  for (const Expr *expr : builtin.operands)
    operands.push_back(builtin.importRegistersOrNumber(expr));
  if (!llvm::all_of(operands, [](const Operand &operand) { return bool(operand); }))
    return {};
  // The first tile or vector decides what the result is.
  auto leader = llvm::find_if(operands, [](const Operand &x) { return x.isElements(); });
  if (leader == operands.end()) {
    builtin.error(builtin.expr, Message::numbers_alone)
        << builtin.name() << builtin.expr->getSourceRange();
    return {};
  }
  for (const Operand &operand : operands)
    if (!builtin.checkBeside(operand, *leader) || !checkBits(builtin, operand))
      return {};
  if (!builtin.checkDestination(leader->type()))
    return {};
  return builtin.createMap(
      leader->type(), valuesOf(operands), /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function(math, numbers); });
}

/// float_as_int(x) and int_as_float(x)
mlir::Value tkc::importBitsAs(BuiltinCall &builtin) {
  Operand x = builtin.importRegisters(builtin.operands[0]);
  if (!x)
    return {};
  const bool toInt = builtin.word == Word::float_as_int;
  mlir::Type number = builtin.builder.getF32Type(), integer = builtin.builder.getI32Type();
  mlir::Type element = x.elements().getElementType();
  if (element != (toInt ? number : integer)) {
    builtin.error(x.expr, Message::bits_as)
        << builtin.name() << unsigned(toInt) << spell(element) << x.expr->getSourceRange();
    builtin.noteDeclaration(x.expr);
    return {};
  }
  mlir::Type type = x.elements().withElementType(toInt ? integer : number);
  if (!builtin.checkDestination(type))
    return {};
  NumberFunction function = findNumberFunction(builtin.word);
  return builtin.createMap(
      type, x.value, /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function(math, numbers); });
}

/// map(x, ..., f) and apply(to, x, f)
mlir::Value tkc::importMap(BuiltinCall &builtin) {
  llvm::SmallVector<Operand> operands{builtin.importRegisters(builtin.operands.front())};
  for (const Expr *expr : llvm::ArrayRef(builtin.operands).drop_front().drop_back())
    operands.push_back(builtin.importRegistersOrNumber(expr));
  const Expr *lambda = builtin.operands.back();
  std::optional<ElementLambda> function = ElementLambda::import(builtin, lambda);
  if (!function || !llvm::all_of(operands, [](const Operand &operand) { return bool(operand); }))
    return {};
  for (const Operand &operand : operands)
    if (!builtin.checkBeside(operand, operands.front(), /*sameElement=*/false))
      return {};
  mlir::Type type = operands.front().type();
  if (!builtin.checkDestination(type))
    return {};

  // The lambda takes the values alone, or the coordinates as well.
  const unsigned values = operands.size(), rank = operands.front().elements().getRank();
  const unsigned parameters = function->countParameters();
  if (parameters != values && parameters != values + rank) {
    builtin.error(lambda, Message::lambda_parameters)
        << unsigned(rank == 1) << values << parameters << lambda->getSourceRange();
    return {};
  }
  return builtin.createMap(
      type, valuesOf(operands), /*coordinates=*/parameters != values,
      [&](ScalarMath &, llvm::ArrayRef<mlir::Value> numbers, mlir::ValueRange at) {
        llvm::SmallVector<mlir::Value> arguments(numbers);
        llvm::append_range(arguments, at);
        return function->apply(builtin, arguments);
      });
}

//===----------------------------------------------------------------------===//
// Vectors along tiles
//===----------------------------------------------------------------------===//

static std::pair<Word, tk::Orientation> alongOf(Word word) {
  switch (word) {
#define TKC_ALONG(name, function, orientation)                                                     \
  case Word::name:                                                                                 \
    return {Word::function, tk::Orientation::orientation};
#include "frontend/Builtins.def"
  default:
    llvm_unreachable("not a row of TKC_ALONG");
  }
}

mlir::Value tkc::importAlong(BuiltinCall &builtin) {
  auto [word, orientation] = alongOf(builtin.word);
  Operand x = builtin.importTile(builtin.operands[0]),
          v = builtin.importVector(builtin.operands[1]);
  if (!x || !v || !builtin.checkOrientation(v, orientation) || !builtin.checkBeside(v, x) ||
      !builtin.checkDestination(x.type()))
    return {};
  NumberFunction function = findNumberFunction(word);
  return builtin.createMap(
      x.type(), {x.value, v.value}, /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function(math, numbers); });
}

mlir::Value tkc::importBroadcast(BuiltinCall &builtin) {
  mlir::Type type = builtin.importType();
  Operand v = builtin.importVector(builtin.operands[0]);
  if (!type || !v || !builtin.checkResult(type))
    return {};
  if (!builtin.checkLies(cast<tk::TileVectorType>(v.type()), cast<tk::TileType>(type), v.expr)) {
    builtin.noteDeclaration(v.expr);
    return {};
  }
  return builtin.createMap(type, v.value, /*coordinates=*/false,
                           [](ScalarMath &, auto numbers, auto) { return numbers[0]; });
}

static Word functionAcross(Word word) {
  switch (word) {
#define TKC_OUTER(name, function)                                                                  \
  case Word::name:                                                                                 \
    return Word::function;
#include "frontend/Builtins.def"
  default:
    llvm_unreachable("not a row of TKC_OUTER");
  }
}

mlir::Value tkc::importOuter(BuiltinCall &builtin) {
  Operand a = builtin.importVector(builtin.operands[0]),
          b = builtin.importVector(builtin.operands[1]);
  if (!a || !b || !builtin.checkOrientation(a, tk::Orientation::Column) ||
      !builtin.checkOrientation(b, tk::Orientation::Row) || !builtin.checkElements(b, a))
    return {};
  auto type = tk::TileType::get(builtin.builder.getContext(), a.elements().getRows(),
                                b.elements().getCols(), a.elements().getElementType(),
                                tk::Space::Register, tk::Layout::Row);
  if (!builtin.checkDestination(type))
    return {};
  NumberFunction function = findNumberFunction(functionAcross(builtin.word));
  return builtin.createMap(
      type, {a.value, b.value}, /*coordinates=*/false,
      [&](ScalarMath &math, auto numbers, auto) { return function(math, numbers); });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

mlir::Value tkc::importConversion(BuiltinCall &builtin) {
  mlir::Type type = builtin.importType();
  Operand from = builtin.importRegisters(builtin.operands[0]);
  if (!type || !from || !builtin.checkResult(type))
    return {};
  mlir::Type element = cast<tk::ElementsInterface>(type).getElementType();
  if (from.elements().withElementType(element) != type)
    return refuseConversion(builtin);
  return builtin.convert(from.value, element, builtin.locate());
}

mlir::Value tkc::refuseConversion(BuiltinCall &builtin) {
  const Expr *from = builtin.operands[0];
  auto to = dyn_cast_or_null<tk::ElementsInterface>(builtin.importType());
  Operand operand = builtin.importOperand(from);
  if (!to || !operand)
    return {};
  tk::ElementsInterface source = operand.elements();
  builtin.error(from, Message::no_conversion)
      << spell(source) << spell(to) << from->getSourceRange();
  builtin.noteDeclaration(from);
  if (isShared(to)) {
    builtin.error(from, Message::note_store_result);
  } else if (isShared(source)) {
    builtin.error(from, Message::note_load_first) << unsigned(to.isVector());
  } else if (source.withElementType(to.getElementType()) == to) {
    builtin.noteWrap(from, Message::note_convert, spell(to));
  } else if (source.getRows() == to.getRows() && source.getCols() == to.getCols()) {
    builtin.noteWrap(from, Message::note_swap_layout, "swap_layout");
  } else if (source.getRows() == to.getCols() && source.getCols() == to.getRows()) {
    builtin.noteWrap(from, Message::note_transpose, "transpose");
  }
  return {};
}
