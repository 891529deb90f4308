//===- ImportMasks.cpp - Parts of a tile replaced by a value --------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;
using mlir::arith::CmpIPredicate;

/// mask(x, keep, value)
mlir::Value BuiltinImporter::importMask(const BuiltinCall &builtin) {
  Operand x = importTile(builtin, builtin.operands[0]);
  mlir::Value value = importNumber(builtin.operands[2]);
  std::optional<Object> keep = importLambda(builtin.operands[1]);
  if (!x || !value || !keep || !checkDestination(builtin, x.type()))
    return {};
  return createMap(locate(builtin.expr), x.type(), {x.value, value}, /*coordinates=*/true,
                   [&](ScalarMath &math, auto numbers, mlir::ValueRange at) -> mlir::Value {
                     mlir::Value kept = applyPredicate(builtin.operands[1], *keep, at, math);
                     return kept ? math.select(kept, numbers[0], numbers[1]) : kept;
                   });
}

namespace {
/// The elements that a mask keeps, by their row and column and a number.
struct Triangle {
  enum { Diagonal, Row, Column } place;
  CmpIPredicate kept;
};
} // namespace

static Triangle triangleOf(Word word) {
  switch (word) {
  case Word::triu:
    return {Triangle::Diagonal, CmpIPredicate::sge};
  case Word::right_fill:
    return {Triangle::Column, CmpIPredicate::slt};
  case Word::left_fill:
    return {Triangle::Column, CmpIPredicate::sge};
  case Word::lower_fill:
    return {Triangle::Row, CmpIPredicate::slt};
  case Word::upper_fill:
    return {Triangle::Row, CmpIPredicate::sge};
  default: // causal, tril
    return {Triangle::Diagonal, CmpIPredicate::sle};
  }
}

/// tril(x, diagonal, value) and its like
mlir::Value BuiltinImporter::importTriangle(const BuiltinCall &builtin) {
  Operand x = importTile(builtin, builtin.operands[0]);
  mlir::Value bound = importNumber(builtin.operands[1]), value = importNumber(builtin.operands[2]);
  if (!x || !bound || !value || !checkDestination(builtin, x.type()))
    return {};
  const Triangle triangle = triangleOf(builtin.word);
  return createMap(locate(builtin.expr), x.type(), {x.value, value}, /*coordinates=*/true,
                   [&](ScalarMath &math, auto numbers, mlir::ValueRange at) {
                     mlir::Value place = triangle.place == Triangle::Row ? at[0]
                                         : triangle.place == Triangle::Column
                                             ? at[1]
                                             : math.sub(at[1], at[0]);
                     mlir::Value kept = math.builder.create<mlir::arith::CmpIOp>(
                         math.loc, triangle.kept, place, bound);
                     return math.select(kept, numbers[0], numbers[1]);
                   });
}

/// select(a, b, keep) and select(where, a, b)
mlir::Value BuiltinImporter::importSelect(const BuiltinCall &builtin) {
  if (isLambda(builtin.operands[2])) {
    Operand a = importTile(builtin, builtin.operands[0]);
    Operand b = importRegistersOrNumber(builtin, builtin.operands[1]);
    std::optional<Object> keep = importLambda(builtin.operands[2]);
    if (!a || !b || !keep || !checkBeside(builtin, b, a) || !checkDestination(builtin, a.type()))
      return {};
    return createMap(locate(builtin.expr), a.type(), {a.value, b.value}, /*coordinates=*/true,
                     [&](ScalarMath &math, auto numbers, mlir::ValueRange at) -> mlir::Value {
                       mlir::Value kept = applyPredicate(builtin.operands[2], *keep, at, math);
                       return kept ? math.select(kept, numbers[0], numbers[1]) : kept;
                     });
  }
  Operand where = importRegistersOrNumber(builtin, builtin.operands[0]);
  Operand a = importRegisters(builtin, builtin.operands[1]);
  Operand b = importRegistersOrNumber(builtin, builtin.operands[2]);
  if (!where || !a || !b || !checkBeside(builtin, where, a, /*sameElement=*/false) ||
      !checkBeside(builtin, b, a) || !checkDestination(builtin, a.type()))
    return {};
  return createMap(locate(builtin.expr), a.type(), {where.value, a.value, b.value},
                   /*coordinates=*/false, [](ScalarMath &math, auto numbers, auto) {
                     mlir::Value chosen = math.isNotZero(numbers[0]);
                     return math.select(chosen, numbers[1], numbers[2]);
                   });
}
