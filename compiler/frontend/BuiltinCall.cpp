//===- BuiltinCall.cpp - A call of a builtin, while it is imported --------===//
#include "frontend/BuiltinCall.h"

#include "frontend/ImportScalars.h"

using namespace clang;
using namespace tkc;

BuiltinCall::BuiltinCall(BuiltinImporter &importer, const Expr *expr, Word word)
    : Importer(importer.context), BuiltinSurroundings(importer), expr(expr), word(word),
      type(expr->getType()), builtins(importer) {
  if (auto *construct = dyn_cast<CXXConstructExpr>(expr)) {
    operands.append(construct->arg_begin(), construct->arg_end());
    return;
  }
  auto *call = cast<CallExpr>(expr);
  operands.append(call->arg_begin(), call->arg_end());
  auto *op = dyn_cast<CXXOperatorCallExpr>(call);
  const bool updates = op && op->isAssignmentOp(); // `a += b` reads its destination too
  if (!updates && !call->getType()->isVoidType())
    return;
  destination = call->getArg(0);
  type = destination->getType();
  if (!updates)
    operands.erase(operands.begin());
}

std::string BuiltinCall::name() const {
  if (auto *op = dyn_cast<CXXOperatorCallExpr>(expr))
    return getOperatorSpelling(op->getOperator());
  if (auto *call = dyn_cast<CallExpr>(expr))
    if (const FunctionDecl *callee = call->getDirectCallee())
      return callee->getNameAsString();
  return cast<CXXConstructExpr>(expr)->getConstructor()->getParent()->getNameAsString();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Operand BuiltinCall::importOperand(const Expr *expr) { return {expr, builtins.importValue(expr)}; }

mlir::Value BuiltinCall::importNumber(const Expr *expr) { return builtins.importNumber(expr); }

/// The type of an expression as the user wrote it, before C++ bound it to a parameter.
static QualType asWritten(const Expr *expr) {
  return expr->IgnoreParenImpCasts()->getType().getUnqualifiedType();
}

Operand BuiltinCall::importRegisters(const Expr *expr) {
  if (!types.isTile(expr->getType()) && !types.isVector(expr->getType())) {
    error(expr, Message::not_a_tile) << name() << asWritten(expr) << expr->getSourceRange();
    return {};
  }
  Operand operand = importOperand(expr);
  if (!operand)
    return {};
  auto tile = dyn_cast<tk::TileType>(operand.type());
  auto vector = dyn_cast<tk::TileVectorType>(operand.type());
  if (tile ? tile.isRegister() : vector && vector.isRegister())
    return operand;
  error(expr, Message::operand_in_shared)
      << name() << unsigned(bool(vector)) << expr->getSourceRange();
  noteDeclaration(expr);
  error(expr, Message::note_load_first) << unsigned(bool(vector));
  return {};
}

Operand BuiltinCall::importRegistersOrNumber(const Expr *expr) {
  if (types.isTile(expr->getType()) || types.isVector(expr->getType()))
    return importRegisters(expr);
  return {expr, importNumber(expr)};
}

Operand BuiltinCall::importTile(const Expr *expr) {
  Operand operand = importRegisters(expr);
  if (!operand || isa<tk::TileType>(operand.type()))
    return operand;
  error(expr, Message::needs_tile) << name() << asWritten(expr) << expr->getSourceRange();
  noteDeclaration(expr);
  return {};
}

Operand BuiltinCall::importVector(const Expr *expr) {
  Operand operand = importRegisters(expr);
  if (!operand || isa<tk::TileVectorType>(operand.type()))
    return operand;
  error(expr, Message::needs_vector) << name() << asWritten(expr) << expr->getSourceRange();
  noteDeclaration(expr);
  return {};
}

std::optional<int64_t> BuiltinCall::importConstant(const Expr *expr, llvm::StringRef what) {
  std::optional<int64_t> value = scalars.importConstant(expr);
  if (!value)
    error(expr, Message::part_not_constant) << what << expr->getSourceRange();
  return value;
}

mlir::Type BuiltinCall::importType() { return types.value(type, expr->getExprLoc()); }

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

mlir::Value BuiltinCall::createMap(mlir::Location loc, mlir::Type type, mlir::ValueRange inputs,
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
      builder.create<tk::YieldOp>(
          loc, math.toElement(result, cast<tk::ElementsInterface>(type).getElementType()));
  };
  auto map = builder.create<tk::MapOp>(loc, type, elements, coordinates, buildBody);
  if (ok)
    return map.getResult(0);
  map.erase();
  return {};
}

mlir::Value BuiltinCall::convert(mlir::Value value, mlir::Type element, mlir::Location loc) {
  auto type = cast<tk::ElementsInterface>(value.getType());
  if (type.getElementType() == element)
    return value;
  return createMap(loc, type.withElementType(element), value, /*coordinates=*/false,
                   [](ScalarMath &, auto numbers, auto) { return numbers[0]; });
}

mlir::Value BuiltinCall::createFill(mlir::Location loc, mlir::Type type, mlir::Value number) {
  mlir::Type element = cast<tk::ElementsInterface>(type).getElementType();
  return builder.create<tk::FillOp>(loc, type, mathAt(loc).toElement(number, element));
}

mlir::Value BuiltinCall::inLayoutOf(tk::ElementsInterface type, mlir::Value value,
                                    mlir::Location loc) {
  mlir::Type wanted =
      type.withElementType(cast<tk::ElementsInterface>(value.getType()).getElementType());
  return wanted == value.getType() ? value
                                   : builder.create<tk::SwapLayoutOp>(loc, value).getResult();
}
