//===- ImportFills.cpp - Values from nowhere ------------------------------===//
//
// Constants, sequences, random numbers.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinCall.h"
#include "frontend/SharedValues.h"

using namespace clang;
using namespace tkc;

mlir::Value tkc::importFill(BuiltinCall &builtin) {
  mlir::Type type = builtin.importType();
  mlir::Location loc = builtin.locate();
  mlir::Value number = builtin.word == Word::zero ? builtin.mathAt(loc).number(0.0f)
                                                  : builtin.importNumber(builtin.operands[0]);
  if (!type || !number)
    return {};
  if (!isShared(type))
    return builtin.createFill(loc, type, number);
  mlir::Value shared = createAlloc(builtin.builder, loc, type);
  return builtin.builder.create<tk::WriteOp>(
      loc, type, builtin.createFill(loc, inRegisters(type), number), shared, mlir::ValueRange());
}

/// start, start + step, start + 2 step, ...
mlir::Value tkc::importSequence(BuiltinCall &builtin) {
  mlir::Type type = builtin.importType();
  if (!type || !builtin.checkResult(type))
    return {};
  mlir::Value start, step;
  if (builtin.word == Word::arange) {
    start = builtin.importNumber(builtin.operands[0]),
    step = builtin.importNumber(builtin.operands[1]);
    if (!start || !step)
      return {};
  }
  mlir::Type number = ScalarMath::numberOf(cast<tk::ElementsInterface>(type).getElementType());
  return builtin.createMap(type, {}, /*coordinates=*/true,
                           [&](ScalarMath &math, auto, mlir::ValueRange at) {
                             mlir::Value index = math.toElement(at[0], number);
                             if (!start)
                               return index;
                             mlir::Value steps = math.mul(index, step);
                             return math.add(start, steps);
                           });
}

mlir::Value tkc::importRandom(BuiltinCall &builtin) {
  mlir::Type type = builtin.importType();
  if (!type || !builtin.checkResult(type))
    return {};
  llvm::SmallVector<mlir::Value> numbers; // seed, row, column, sequence
  for (const Expr *operand : builtin.operands)
    numbers.push_back(builtin.importNumber(operand));
  if (llvm::is_contained(numbers, mlir::Value()))
    return {};
  return builtin.createMap(type, {}, /*coordinates=*/true,
                           [&](ScalarMath &math, auto, mlir::ValueRange at) -> mlir::Value {
                             mlir::Value row = math.add(numbers[1], at[0]);
                             mlir::Value column = math.add(numbers[2], at[1]);
                             return math.builder.create<tk::RandomOp>(
                                 math.loc, math.builder.getF32Type(), numbers[0], row, column,
                                 numbers[3]);
                           });
}
