//===- ImportMasks.cpp - Parts of a tile replaced by a value --------------===//
#include "frontend/ElementLambda.h"

using namespace clang;
using namespace tkc;
using mlir::arith::CmpIPredicate;

/// mask(x, keep, value)
mlir::Value tkc::importMask(BuiltinCall &builtin) {
  Operand x = builtin.importTile(builtin.operands[0]);
  mlir::Value value = builtin.importNumber(builtin.operands[2]);
  std::optional<ElementLambda> keep = ElementLambda::import(builtin, builtin.operands[1]);
  if (!x || !value || !keep || !builtin.checkDestination(x.type()))
    return {};
  return builtin.createMap(x.type(), {x.value, value}, /*coordinates=*/true,
                           [&](ScalarMath &math, auto numbers, mlir::ValueRange at) -> mlir::Value {
                             mlir::Value kept = keep->applyPredicate(builtin, at, math);
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
#define TKC_TRIANGLE(name, place, kept)                                                            \
  case Word::name:                                                                                 \
    return {Triangle::place, CmpIPredicate::kept};
#include "frontend/Builtins.def"
  default:
    llvm_unreachable("not a row of TKC_TRIANGLE");
  }
}

/// tril(x, diagonal, value) and its like
mlir::Value tkc::importTriangle(BuiltinCall &builtin) {
  Operand x = builtin.importTile(builtin.operands[0]);
  mlir::Value bound = builtin.importNumber(builtin.operands[1]),
              value = builtin.importNumber(builtin.operands[2]);
  if (!x || !bound || !value || !builtin.checkDestination(x.type()))
    return {};
  const Triangle triangle = triangleOf(builtin.word);
  return builtin.createMap(x.type(), {x.value, value}, /*coordinates=*/true,
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
mlir::Value tkc::importSelect(BuiltinCall &builtin) {
  if (ElementLambda::isLambda(builtin.operands[2])) {
    Operand a = builtin.importTile(builtin.operands[0]);
    Operand b = builtin.importRegistersOrNumber(builtin.operands[1]);
    std::optional<ElementLambda> keep = ElementLambda::import(builtin, builtin.operands[2]);
    if (!a || !b || !keep || !builtin.checkBeside(b, a) || !builtin.checkDestination(a.type()))
      return {};
    return builtin.createMap(
        a.type(), {a.value, b.value}, /*coordinates=*/true,
        [&](ScalarMath &math, auto numbers, mlir::ValueRange at) -> mlir::Value {
          mlir::Value kept = keep->applyPredicate(builtin, at, math);
          return kept ? math.select(kept, numbers[0], numbers[1]) : kept;
        });
  }
  Operand where = builtin.importRegistersOrNumber(builtin.operands[0]);
  Operand a = builtin.importRegisters(builtin.operands[1]);
  Operand b = builtin.importRegistersOrNumber(builtin.operands[2]);
  if (!where || !a || !b || !builtin.checkBeside(where, a, /*sameElement=*/false) ||
      !builtin.checkBeside(b, a) || !builtin.checkDestination(a.type()))
    return {};
  return builtin.createMap(a.type(), {where.value, a.value, b.value},
                           /*coordinates=*/false, [](ScalarMath &math, auto numbers, auto) {
                             mlir::Value chosen = math.isNotZero(numbers[0]);
                             return math.select(chosen, numbers[1], numbers[2]);
                           });
}
