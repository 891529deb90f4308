//===- ImportFills.cpp - Values from nowhere ------------------------------===//
//
// Constants, sequences, random numbers.
//
//===----------------------------------------------------------------------===//
#include "frontend/BuiltinImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

mlir::Value BuiltinImporter::createFill(mlir::Location loc, mlir::Type type, mlir::Value number) {
  mlir::Type element = cast<tk::ElementsInterface>(type).getElementType();
  return kernel.builder.create<tk::FillOp>(loc, type, mathAt(loc).toElement(number, element));
}

mlir::Value BuiltinImporter::importFill(const BuiltinCall &builtin) {
  mlir::Type type = importType(builtin);
  mlir::Location loc = locate(builtin.expr);
  mlir::Value number =
      builtin.word == Word::zero ? mathAt(loc).number(0.0f) : importNumber(builtin.operands[0]);
  if (!type || !number)
    return {};
  if (!KernelImporter::isShared(type))
    return createFill(loc, type, number);
  mlir::Value shared = createAlloc(loc, type);
  return kernel.builder.create<tk::WriteOp>(loc, type, createFill(loc, inRegisters(type), number),
                                            shared, mlir::ValueRange());
}

/// start, start + step, start + 2 step, ...
mlir::Value BuiltinImporter::importSequence(const BuiltinCall &builtin) {
  mlir::Type type = importType(builtin);
  if (!type || !checkResult(builtin, type))
    return {};
  mlir::Value start, step;
  if (builtin.word == Word::arange) {
    start = importNumber(builtin.operands[0]), step = importNumber(builtin.operands[1]);
    if (!start || !step)
      return {};
  }
  mlir::Type number = ScalarMath::numberOf(cast<tk::ElementsInterface>(type).getElementType());
  return createMap(locate(builtin.expr), type, {}, /*coordinates=*/true,
                   [&](ScalarMath &math, auto, mlir::ValueRange at) {
                     mlir::Value index = math.toElement(at[0], number);
                     if (!start)
                       return index;
                     mlir::Value steps = math.mul(index, step);
                     return math.add(start, steps);
                   });
}

mlir::Value BuiltinImporter::importRandom(const BuiltinCall &builtin) {
  mlir::Type type = importType(builtin);
  if (!type || !checkResult(builtin, type))
    return {};
  llvm::SmallVector<mlir::Value> numbers; // seed, row, column, sequence
  for (const Expr *operand : builtin.operands)
    numbers.push_back(importNumber(operand));
  if (llvm::is_contained(numbers, mlir::Value()))
    return {};
  return createMap(locate(builtin.expr), type, {}, /*coordinates=*/true,
                   [&](ScalarMath &math, auto, mlir::ValueRange at) -> mlir::Value {
                     mlir::Value row = math.add(numbers[1], at[0]);
                     mlir::Value column = math.add(numbers[2], at[1]);
                     return math.builder.create<tk::RandomOp>(math.loc, math.builder.getF32Type(),
                                                              numbers[0], row, column, numbers[3]);
                   });
}
