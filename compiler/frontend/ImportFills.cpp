//===- ImportFills.cpp - Values from nowhere ------------------------------===//
//
// Constants, sequences, random numbers.
//
//===----------------------------------------------------------------------===//
#include "frontend/VerbImporter.h"

#include "frontend/ImportKernel.h"

using namespace clang;
using namespace tkc;

mlir::Value VerbImporter::createFill(mlir::Location loc, mlir::Type type, mlir::Value number) {
  mlir::Type element = cast<tk::ElementsInterface>(type).getElementType();
  return kernel.builder.create<tk::FillOp>(loc, type, mathAt(loc).toElement(number, element));
}

mlir::Value VerbImporter::importFill(const VerbCall &verb) {
  mlir::Type type = importType(verb);
  mlir::Location loc = locate(verb.expr);
  mlir::Value number =
      verb.word == Word::zero ? mathAt(loc).number(0.0f) : importNumber(verb.operands[0]);
  if (!type || !number)
    return {};
  if (!KernelImporter::isShared(type))
    return createFill(loc, type, number);
  mlir::Value shared = createAlloc(loc, type);
  return kernel.builder.create<tk::WriteOp>(loc, type, createFill(loc, inRegisters(type), number),
                                            shared, mlir::ValueRange());
}

/// start, start + step, start + 2 step, ...
mlir::Value VerbImporter::importSequence(const VerbCall &verb) {
  mlir::Type type = importType(verb);
  if (!type || !checkResult(verb, type))
    return {};
  mlir::Value start, step;
  if (verb.word == Word::arange) {
    start = importNumber(verb.operands[0]), step = importNumber(verb.operands[1]);
    if (!start || !step)
      return {};
  }
  mlir::Type number = ScalarMath::numberOf(cast<tk::ElementsInterface>(type).getElementType());
  return createMap(locate(verb.expr), type, {}, /*coordinates=*/true,
                   [&](ScalarMath &math, auto, mlir::ValueRange at) {
                     mlir::Value index = math.toElement(at[0], number);
                     if (!start)
                       return index;
                     mlir::Value steps = math.mul(index, step);
                     return math.add(start, steps);
                   });
}

mlir::Value VerbImporter::importRandom(const VerbCall &verb) {
  mlir::Type type = importType(verb);
  if (!type || !checkResult(verb, type))
    return {};
  llvm::SmallVector<mlir::Value> numbers; // seed, row, column, sequence
  for (const Expr *operand : verb.operands)
    numbers.push_back(importNumber(operand));
  if (llvm::is_contained(numbers, mlir::Value()))
    return {};
  return createMap(locate(verb.expr), type, {}, /*coordinates=*/true,
                   [&](ScalarMath &math, auto, mlir::ValueRange at) -> mlir::Value {
                     mlir::Value row = math.add(numbers[1], at[0]);
                     mlir::Value column = math.add(numbers[2], at[1]);
                     return math.builder.create<tk::RandomOp>(math.loc, math.builder.getF32Type(),
                                                              numbers[0], row, column, numbers[3]);
                   });
}
