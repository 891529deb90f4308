//===- EmitElementwise.cpp - Maps and reductions as CUDA ------------------===//
//
// A map becomes one statement with a lambda whose parameters are named as what
// they are elements of:
//
//     s = map(s, now, [&](float s, float now) { return ex2(s * c - now * c); });
//
// A body that is too long for a line, or that has values the user named, becomes
// a lambda of several lines. The result takes the variable of an operand if that
// is not read any more and the user calls both the same; it gets one of its own
// otherwise.
//
//===----------------------------------------------------------------------===//
#include "backend/ElementTypes.h"
#include "backend/KernelEmitter.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The element as a template argument of a tile: "bf16"; empty if the runtime has no such tiles.
static StringRef elementName(Type type) {
  if (type.isInteger(32))
    return "int";
  const ElementType *known = elementType(type);
  return known ? known->name : StringRef();
}

/// The element as a variable: 16-bit floats are computed with as floats.
static StringRef scalarName(Type type) {
  return isa<FloatType>(type) ? StringRef("float") : scalarTypeName(type);
}

std::string backend::registerType(KernelEmitter &e, Operation *op, Type type) {
  auto elements = cast<tk::ElementsInterface>(type);
  std::string element = elementName(elements.getElementType()).str();
  if (element.empty())
    e.values.error(op, "has an element type without a spelling in CUDA");
  if (elements.getCols() == 0)
    return "col_vec<" + element + ", " + std::to_string(elements.getRows()) + ">";
  if (elements.getRows() == 0)
    return "row_vec<" + element + ", " + std::to_string(elements.getCols()) + ">";
  return "rt<" + element + ", " + std::to_string(elements.getRows()) + ", " +
         std::to_string(elements.getCols()) + ">";
}

//===----------------------------------------------------------------------===//
// The variable of a result
//===----------------------------------------------------------------------===//

/// The operands whose variable `op` may write its result to.
static SmallVector<Value> variablesFor(OpResult result) {
  Operation *op = result.getOwner();
  // With several results a later one still reads the operands.
  if (auto map = dyn_cast<MapOp>(op))
    return result.getResultNumber() + 1 == map.getNumResults() ? SmallVector<Value>(map.getInputs())
                                                               : SmallVector<Value>();
  if (auto reduce = dyn_cast<ReduceRowsOp>(op))
    return reduce.getInit() ? SmallVector<Value>{reduce.getInit()} : SmallVector<Value>();
  if (auto reduce = dyn_cast<ReduceColumnsOp>(op))
    return reduce.getInit() ? SmallVector<Value>{reduce.getInit()} : SmallVector<Value>();
  if (auto finish = dyn_cast<FinishRowsOp>(op))
    return {finish.getSource()};
  return {};
}

/// The operand whose variable the result takes, or null.
static Value operandInPlace(OpResult result) {
  StringRef name = getSourceName(result);
  for (Value candidate : variablesFor(result))
    if (candidate.getType() == result.getType() &&
        (name.empty() || name == getSourceName(candidate)) &&
        mayOverwrite(candidate, result.getOwner()))
      return candidate;
  return {};
}

/// Whether something writes the variable of `value` after it is declared: then it is no constant.
static bool isWrittenLater(Value value) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto product = dyn_cast<WgmmaOp>(user))
      return product.getAcc() == value;
    return isa<scf::ForOp>(user) || llvm::any_of(user->getResults(), [&](OpResult result) {
             return operandInPlace(result) == value;
           });
  });
}

/// The left side of the statement that gives `result` its value: "s = ", "const col_vec<float, 64>
/// now = ".
static std::string assign(KernelEmitter &e, OpResult result) {
  Operation *op = result.getOwner();
  if (!e.role || e.inProducer())
    e.values.error(op, "computes with register tiles, which only a consumer has");
  if (Value operand = operandInPlace(result)) {
    std::string name = e.text(operand);
    e.values.bind(result, name);
    return name + " = ";
  }
  std::string type = registerType(e, op, result.getType());
  return (isWrittenLater(result) ? "" : "const ") + type + " " + declareRegisters(e, result) +
         " = ";
}

//===----------------------------------------------------------------------===//
// Lambdas
//===----------------------------------------------------------------------===//

namespace {
struct Lambda {
  std::string head;                    // [&](float s, float now) {
  SmallVector<std::string> statements; // the last one returns
};
} // namespace

/// The indices of tile loops that `value`, as it will be spelled, names. C++17 captures no
/// structured bindings.
static void collectBindings(KernelEmitter &e, Value value, llvm::SetVector<Value> &bindings) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<TileLoopOp>(argument.getOwner()->getParentOp());
    if (loop && loop.getIndices().size() > 1)
      bindings.insert(value);
    return;
  }
  if (!e.values.isBound(value))
    for (Value operand : value.getDefiningOp()->getOperands())
      collectBindings(e, operand, bindings);
}

/// The default capture, and structured bindings that the body uses by name.
static std::string captures(KernelEmitter &e, MapOp map) {
  llvm::SetVector<Value> bindings;
  for (Operation &op : map.getBody().front())
    for (Value operand : op.getOperands())
      if (!map.getBody().isAncestor(operand.getParentRegion()))
        collectBindings(e, operand, bindings);
  std::string text = "[&";
  for (Value binding : bindings)
    text += ", " + e.text(binding) + " = " + e.text(binding);
  return text + "]";
}

/// A parameter for an element of `operand`. It may hide the tile's own name, since the body cannot
/// name the tile.
static std::string declareParameter(KernelEmitter &e, BlockArgument argument, Value operand) {
  StringRef wanted = getSourceName(argument);
  std::string tile = e.text(operand);
  if (wanted.empty() || wanted == getSourceName(operand)) {
    e.values.bind(argument, tile);
    return tile;
  }
  return e.declare(argument, tile);
}

/// What the lambda returns: rounding to the result's element type happens behind it.
static std::string returned(KernelEmitter &e, Value yielded) {
  if (auto narrow = yielded.getDefiningOp<arith::TruncFOp>(); narrow && !e.values.isBound(yielded))
    return e.text(narrow.getIn());
  return e.text(yielded);
}

/// 16-bit floats hold what was rounded to them; arithmetic that rounds each result to 16 bits has
/// no spelling.
static bool computesIn16Bits(Operation *op) {
  return op->getNumResults() == 1 && isa<FloatType>(op->getResult(0).getType()) &&
         op->getResult(0).getType().getIntOrFloatBitWidth() <= 16 &&
         !isa<arith::TruncFOp, arith::SelectOp, arith::ConstantOp>(op);
}

/// The lambda of one result.
static Lambda spellLambda(KernelEmitter &e, MapOp map, unsigned result) {
  Lambda lambda;
  Names::Scope scope(e.names);
  SmallVector<std::string> parameters;
  for (auto [argument, operand] : llvm::zip(map.getElements(), map.getInputs()))
    parameters.push_back(
        (scalarName(argument.getType()) + " " + declareParameter(e, argument, operand)).str());
  static constexpr StringLiteral tileNames[] = {"row", "col"}, vectorNames[] = {"index"};
  ArrayRef<StringLiteral> names =
      map.getCoordinates().size() == 1 ? ArrayRef(vectorNames) : ArrayRef(tileNames);
  for (auto [argument, name] : llvm::zip(map.getCoordinates(), names))
    parameters.push_back("int " + e.declare(argument, name));
  lambda.head = captures(e, map) + "(" + llvm::join(parameters, ", ") + ") {";

  Value yielded = map.getBody().front().getTerminator()->getOperand(result);
  for (Operation &op : map.getBody().front().without_terminator()) {
    if (computesIn16Bits(&op))
      e.values.error(&op, "computes in 16 bits; widen the operands to f32 and round the result");
    if (op.getNumResults() != 1 || op.getResult(0) == yielded || !e.values.wantsName(&op))
      continue;
    std::string text = e.text(op.getResult(0));
    StringRef type = scalarName(op.getResult(0).getType());
    lambda.statements.push_back(
        ("const " + type + " " + e.declare(op.getResult(0), "x") + " = " + text + ";").str());
  }
  lambda.statements.push_back("return " + returned(e, yielded) + ";");
  return lambda;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// The template argument of a map whose result is not what its operands say: its element, or all of
/// it.
static std::string resultArgument(KernelEmitter &e, MapOp map, Type type) {
  auto result = cast<tk::ElementsInterface>(type);
  int64_t rows = 0, cols = 0;
  for (Type input : map.getInputs().getTypes()) {
    rows = std::max(rows, cast<tk::ElementsInterface>(input).getRows());
    cols = std::max(cols, cast<tk::ElementsInterface>(input).getCols());
  }
  if (rows != result.getRows() || cols != result.getCols())
    return (Twine("<") + registerType(e, map, type) + ">").str();
  if (result.getElementType().isF32())
    return "";
  std::string element = elementName(result.getElementType()).str();
  if (element.empty())
    e.values.error(map, "has an element type without a spelling in CUDA");
  return (Twine("<") + element + ">").str();
}

/// A map of nothing to one number for all elements, as `fill`.
static bool emitFill(KernelEmitter &e, MapOp map, OpResult result, Value yielded) {
  bool isConstant = map.getInputs().empty() && map.getCoordinates().empty() &&
                    yielded.getParentBlock() != &map.getBody().front();
  Type element = cast<tk::ElementsInterface>(result.getType()).getElementType();
  if (!isConstant || element.getIntOrFloatBitWidth() != 32)
    return false;
  std::string type = registerType(e, map, result.getType());
  std::string name = declareRegisters(e, result);
  e.out.line(type + " " + name + ";");
  e.out.line(name + ".fill(" + e.text(yielded) + ");");
  return true;
}

/// A map that only rounds a float tile, as `convert`.
static bool isConversion(MapOp map, OpResult result, Value yielded) {
  auto narrow = yielded.getDefiningOp<arith::TruncFOp>();
  return map.getInputs().size() == 1 && isa<FragmentType>(map.getInputs()[0].getType()) && narrow &&
         narrow.getIn() == map.getElements()[0] && narrow.getIn().getType().isF32() &&
         isa<FragmentType>(result.getType());
}

static void emitResult(KernelEmitter &e, MapOp map, OpResult result) {
  Value yielded = map.getBody().front().getTerminator()->getOperand(result.getResultNumber());
  if (emitFill(e, map, result, yielded))
    return;
  std::string argument = resultArgument(e, map, result.getType());
  SmallVector<std::string> items = e.texts(map.getInputs());
  if (isConversion(map, result, yielded))
    return e.out.list(assign(e, result) + "convert" + argument + "(", items, ");");

  Lambda lambda = spellLambda(e, map, result.getResultNumber());
  std::string head =
      assign(e, result) + (map.getCoordinates().empty() ? "map" : "map_at") + argument + "(";
  std::string inputs = llvm::join(items, ", ") + (items.empty() ? "" : ", ");
  std::string oneLine = head + inputs + lambda.head + " " + lambda.statements.front() + " });";
  if (lambda.statements.size() == 1 && e.out.fits(oneLine))
    return e.out.line(oneLine);
  e.out.open(head + inputs + lambda.head);
  for (const std::string &statement : lambda.statements)
    e.out.line(statement);
  e.out.close("});");
}

void backend::emit(KernelEmitter &e, MapOp op) {
  for (OpResult result : op.getResults())
    if (!result.use_empty() || op.getNumResults() == 1)
      emitResult(e, op, result);
}

//===----------------------------------------------------------------------===//
// Reductions and parts
//===----------------------------------------------------------------------===//

static StringRef reductionName(tk::Combine combine) {
  switch (combine) {
  case tk::Combine::Add:
    return "sum";
  case tk::Combine::Mul:
    return "product";
  case tk::Combine::Max:
    return "max";
  case tk::Combine::Min:
    return "min";
  }
  return "sum";
}

/// Reductions are written for floats.
static void checkReduced(KernelEmitter &e, Operation *op, Type type) {
  if (!cast<tk::ElementsInterface>(type).getElementType().isF32())
    e.values.error(op, "reduces elements that are not f32; convert them first");
}

void backend::emit(KernelEmitter &e, ReduceRowsOp op) {
  checkReduced(e, op, op.getSource().getType());
  SmallVector<std::string> items = {e.text(op.getSource())};
  if (op.getInit())
    items.push_back(e.text(op.getInit()));
  std::string function =
      (op.getPartial() ? "partial_row_" : "row_") + reductionName(op.getCombine()).str();
  e.out.list(assign(e, op->getResult(0)) + function + "(", items, ");");
}

void backend::emit(KernelEmitter &e, FinishRowsOp op) {
  checkReduced(e, op, op.getSource().getType());
  std::string source = e.text(op.getSource());
  std::string function = "finish_row_" + reductionName(op.getCombine()).str();
  e.out.list(assign(e, op->getResult(0)) + function + "(", {source}, ");");
}

void backend::emit(KernelEmitter &e, ReduceColumnsOp op) {
  checkReduced(e, op, op.getSource().getType());
  SmallVector<std::string> items = {e.text(op.getSource()),
                                    tileText(e, op.getScratch()) + ".address",
                                    std::to_string(op.getBarrierId())};
  if (op.getInit())
    items.push_back(e.text(op.getInit()));
  std::string function = "col_" + reductionName(op.getCombine()).str() + "<" +
                         std::to_string(op.getWarpgroups()) + ">";
  e.out.list(assign(e, op->getResult(0)) + function + "(", items, ");",
             "all warps that hold the tile meet");
}

void backend::emit(KernelEmitter &e, SliceOp op) {
  std::string columns =
      std::to_string(cast<tk::ElementsInterface>(op.getResult().getType()).getCols());
  std::string source = e.text(op.getSource());
  e.out.line(assign(e, op->getResult(0)) + source + ".columns<" + columns + ">(" +
             std::to_string(op.getColumn()) + ");");
}
