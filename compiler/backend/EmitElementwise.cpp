//===- EmitElementwise.cpp - Maps and reductions as CUDA ------------------===//
//
// A map becomes one statement with a lambda whose parameters are named as what
// they are elements of:
//
//     s = map(s, now, [&](float s, float now) { return ex2(s * c - now * c); });
//
// A body that is too long for a line, or that has values the user named, becomes
// a lambda of several lines. Which variable a result takes, RegisterVariables.h
// says.
//
//===----------------------------------------------------------------------===//
#include "analysis/protocol/BarrierRoles.h"
#include "backend/ElementTypes.h"
#include "backend/KernelEmitter.h"
#include "backend/UnnamedValues.h"
#include "dialect/hopper/EmissionAttributes.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TemplateParameters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The element as a template argument of a tile: "bf16"; empty if the runtime has no such tiles.
static StringRef elementName(Type type) {
  const ElementType *known = elementType(type);
  return known ? known->name : StringRef();
}

/// The element as a variable: narrow types are computed with as float or int.
static StringRef scalarName(Type type) {
  const ElementType *known = elementType(type);
  return known ? known->number : scalarTypeName(type);
}

static bool isVector(Value value, tk::Orientation orientation) {
  auto vector = dyn_cast<FragmentVectorType>(value.getType());
  return vector && vector.getOrientation() == orientation;
}

std::string backend::registerType(KernelEmitter &e, Operation *op, Value value) {
  auto elements = cast<tk::ElementsInterface>(value.getType());
  std::string element = elementName(elements.getElementType()).str();
  if (element.empty())
    e.values.error(op, "has an element type without a spelling in CUDA");
  std::string rows = spellRows(e, value), cols = spellCols(e, value);
  if (isVector(value, tk::Orientation::Lanes))
    return "lane_vec<" + element + ", " + rows + ">";
  if (isVector(value, tk::Orientation::Split))
    return "split_vec<" + cols + ">";
  std::string warp = e.inWarps() ? "warp_" : "";
  if (elements.getCols() == 0)
    return warp + "col_vec<" + element + ", " + rows + ">";
  if (elements.getRows() == 0)
    return "row_vec<" + element + ", " + cols + ">";
  return warp + "rt<" + element + ", " + rows + ", " + cols + ">";
}

//===----------------------------------------------------------------------===//
// The variable of a result
//===----------------------------------------------------------------------===//

/// The name of the ring whose stage an op loads into registers; empty for other ops.
static StringRef getLoadedRing(Operation *op) {
  bool isLoad = isa_and_nonnull<LoadFragmentOp, LoadColumnOp>(op);
  Value ring = isLoad ? BarrierRoles::getRing(op->getOperand(0)) : Value();
  auto alloc = ring ? ring.getDefiningOp<AllocRingOp>() : AllocRingOp();
  return alloc ? alloc.getName() : StringRef();
}

/// The emitted name of the first operand of `op`, if it is a variable.
static std::string nameOfOperand(KernelEmitter &e, Operation *op) {
  if (!op || op->getNumOperands() == 0 || !e.values.isBound(op->getOperand(0)))
    return {};
  std::string name = e.text(op->getOperand(0));
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return llvm::all_of(name, isWord) ? name : std::string();
}

/// Whether a variable of this name holds what `value` is in the next iteration.
static bool becomesCarried(KernelEmitter &e, Value value, StringRef name) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    if (isa<CopyOp>(use.getOwner()))
      return becomesCarried(e, use.getOwner()->getResult(0), name);
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    return loop && isa<scf::YieldOp>(use.getOwner()) &&
           e.variables->getName(loop.getRegionIterArg(use.getOperandNumber())) == name;
  });
}

/// Names the variable of `value` and binds the value to it.
static std::string nameVariable(KernelEmitter &e, Value value) {
  Operation *op = value.getDefiningOp();
  std::string wanted = e.variables->getWantedName(value).str();
  // The shared tile and the fragment that is loaded from it are two variables of one name.
  if (StringRef ring = getLoadedRing(op); !ring.empty() && (wanted.empty() || wanted == ring))
    wanted = ring.str() + "_frag";
  std::string whole;
  if (wanted.empty()) {
    std::string operand = nameOfOperand(e, op);
    wanted = nameTileByContent(value, operand);
    if (isa_and_nonnull<SliceOp>(op))
      whole = operand;
  }
  if (becomesCarried(e, value, wanted))
    wanted += "_next";
  std::string name = e.takeNext(value, wanted);
  if (!whole.empty())
    e.wholes[name] = whole;
  e.variables->setName(value, name);
  e.values.bind(value, name);
  return name;
}

/// Whether the variable of `value` has been declared; binds the value to it then.
static bool bindToVariable(KernelEmitter &e, Value value) {
  StringRef name = e.variables->getName(value);
  if (!name.empty())
    e.values.bind(value, name);
  return !name.empty();
}

/// A tile that shares its registers with one before gets its own name for them.
static void takeOver(KernelEmitter &e, Value value) {
  Operation *op = value.getDefiningOp();
  StringRef wanted = tk::getVariableName(value);
  std::string name = e.variables->getName(value).str();
  if (!op || !op->hasAttr(registersAttrName) || name.empty() || wanted.empty() || wanted == name)
    return;
  std::string own = e.names.take(wanted);
  e.out.line("auto &" + own + " = " + name + ";",
             "nobody needs " + name + " any more: its registers are those of " + own);
  e.takenOver.emplace_back(value, name);
  e.variables->setName(value, own);
}

void backend::declareEmpty(KernelEmitter &e, Operation *op, Value value, StringRef comment) {
  takeOver(e, value);
  if (bindToVariable(e, value))
    return;
  std::string type = registerType(e, op, value);
  e.out.line(type + " " + nameVariable(e, value) + ";", comment);
}

std::string backend::variableToWrite(KernelEmitter &e, OpResult result) {
  // An MMA writes its registers whenever it runs, so nothing may be computed into them before it
  // has been waited for. Where nobody reads what it has left, nvcc sees no reason to keep that
  // order.
  std::string name = e.text(result);
  auto renews = result.getOwner()->getAttrOfType<DenseI64ArrayAttr>(renewsAttrName);
  bool isRenewed =
      renews && llvm::is_contained(renews.asArrayRef(), int64_t(result.getResultNumber()));
  return isRenewed ? "renew(" + name + ")" : name;
}

std::string backend::assign(KernelEmitter &e, OpResult result) {
  Operation *op = result.getOwner();
  if (!e.role || e.inProducer())
    e.values.error(op, "computes with register tiles, which only a consumer has");
  takeOver(e, result);
  if (bindToVariable(e, result))
    return variableToWrite(e, result) + " = ";
  std::string type = registerType(e, op, result);
  return (e.variables->isConstant(result) ? "const " : "") + type + " " + nameVariable(e, result) +
         " = ";
}

//===----------------------------------------------------------------------===//
// Lambdas
//===----------------------------------------------------------------------===//

namespace {
struct Lambda {
  std::string captures;                // [&]
  SmallVector<std::string> parameters; // float s, float now
  SmallVector<std::string> statements; // the last one returns

  std::string head() const { return captures + "(" + llvm::join(parameters, ", ") + ") {"; }
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
  if (auto place = value.getDefiningOp<TileAtOp>(); place && place.getIndices().size() > 1)
    bindings.insert(value);
  if (!e.values.isBound(value))
    for (Value operand : value.getDefiningOp()->getOperands())
      collectBindings(e, operand, bindings);
}

/// The default capture, and structured bindings that the body uses by name.
static std::string captures(KernelEmitter &e, Region &body) {
  llvm::SetVector<Value> bindings;
  for (Operation &op : body.front())
    for (Value operand : op.getOperands())
      if (!body.isAncestor(operand.getParentRegion()))
        collectBindings(e, operand, bindings);
  std::string text = "[&";
  for (Value binding : bindings)
    text += ", " + e.text(binding) + " = " + e.text(binding);
  return text + "]";
}

/// Whether the text of an operand is more than a name.
static bool isExpression(StringRef text) { return text.contains('('); }

/// The tiles of which several operands are parts, none of which may then be called as the whole.
static llvm::StringSet<> findSharedWholes(KernelEmitter &e, ValueRange operands) {
  llvm::StringSet<> seen, shared;
  for (Value operand : operands)
    if (auto whole = e.wholes.find(e.text(operand)); whole != e.wholes.end())
      if (!seen.insert(whole->second).second)
        shared.insert(whole->second);
  return shared;
}

/// A parameter for an element of `operand`. It may hide the tile's own name, since the body cannot
/// name the tile; a tile that is an operand twice gives only one of `taken` its name. An element of
/// a part is called as the whole tile.
static std::string declareParameter(KernelEmitter &e, BlockArgument argument, Value operand,
                                    llvm::StringSet<> &taken) {
  StringRef wanted = getSourceName(argument);
  std::string tile = e.text(operand);
  if (isExpression(tile)) // the operand itself has no name
    return e.declare(argument, wanted.empty() ? nameElement(operand) : wanted);
  if (!wanted.empty() && wanted != tk::getVariableName(operand) &&
      e.declare(argument, tile) == wanted)
    return wanted.str();
  if (auto whole = e.wholes.find(tile);
      whole != e.wholes.end() && taken.insert(whole->second).second) {
    e.values.bind(argument, whole->second);
    return whole->second;
  }
  std::string name = taken.insert(tile).second ? tile : e.names.take(tile);
  e.values.bind(argument, name);
  return name;
}

/// The expression that the lambda returns: converting to the result's element type happens after
/// it.
static std::string returned(KernelEmitter &e, Value yielded) {
  Operation *op = yielded.getDefiningOp();
  bool isLast = isElementConversion(op) && !e.values.isBound(yielded) &&
                (isNarrow(yielded.getType()) || isa<arith::FPToSIOp>(op));
  return e.text(isLast ? op->getOperand(0) : yielded);
}

/// Narrow types hold what was rounded to them; arithmetic that rounds each result to them has no
/// spelling.
static bool computesNarrow(Operation *op) {
  return op->getNumResults() == 1 && isNarrow(op->getResult(0).getType()) &&
         !isElementConversion(op) && !isa<arith::SelectOp, arith::ConstantOp>(op);
}

/// The lambda of one result of a map, or of another op with such a body.
static Lambda spellLambda(KernelEmitter &e, Operation *map, unsigned result) {
  Lambda lambda;
  llvm::SaveAndRestore inMap(e.values.inMap, true);
  Names::Scope scope(e.names);
  Region &body = map->getRegion(0);
  auto coordinates = body.getArguments().drop_front(map->getNumOperands());
  llvm::StringSet<> taken = findSharedWholes(e, map->getOperands());
  for (auto [argument, operand] : llvm::zip(body.getArguments(), map->getOperands()))
    lambda.parameters.push_back(
        (scalarName(argument.getType()) + " " + declareParameter(e, argument, operand, taken))
            .str());
  static constexpr StringLiteral tileNames[] = {"row", "col"}, vectorNames[] = {"index"};
  ArrayRef<StringLiteral> names =
      coordinates.size() == 1 ? ArrayRef(vectorNames) : ArrayRef(tileNames);
  for (auto [argument, name] : llvm::zip(coordinates, names)) {
    std::string coordinate = e.names.take(name);
    e.values.bind(argument, coordinate);
    lambda.parameters.push_back("int " + coordinate);
  }
  lambda.captures = captures(e, body);

  Value yielded = body.front().getTerminator()->getOperand(result);
  for (Operation &op : body.front().without_terminator()) {
    if (computesNarrow(&op))
      e.values.error(&op,
                     "computes in fewer than 32 bits; widen the operands and round the result");
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
static std::string resultArgument(KernelEmitter &e, MapOp map, Value made) {
  auto result = cast<tk::ElementsInterface>(made.getType());
  int64_t rows = 0, cols = 0;
  for (Type input : map.getInputs().getTypes()) {
    rows = std::max(rows, cast<tk::ElementsInterface>(input).getRows());
    cols = std::max(cols, cast<tk::ElementsInterface>(input).getCols());
  }
  if (rows != result.getRows() || cols != result.getCols() ||
      (e.inWarps() && !rows && result.getRows()))
    return (Twine("<") + registerType(e, map, made) + ">").str();
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
  if (!isConstant || isNarrow(element))
    return false;
  declareEmpty(e, map, result);
  e.out.line(e.text(result) + ".fill(" + e.text(yielded) + ");");
  return true;
}

/// A map that only converts a tile or vector, as `convert`.
static bool isConversion(MapOp map, OpResult result, Value yielded) {
  Operation *op = yielded.getDefiningOp();
  if (map.getInputs().size() != 1 || !map.getCoordinates().empty() ||
      cast<tk::ElementsInterface>(map.getInputs()[0].getType()).getRows() !=
          cast<tk::ElementsInterface>(result.getType()).getRows() ||
      cast<tk::ElementsInterface>(map.getInputs()[0].getType()).getCols() !=
          cast<tk::ElementsInterface>(result.getType()).getCols())
    return false;
  return isElementConversion(op) && op->getOperand(0) == map.getElements()[0];
}

/// "function(items, lambda);" on one line, or with the lambda's body on lines of its own. False if
/// the first line would be too long.
static bool printCall(CudaPrinter &out, const std::string &function, ArrayRef<std::string> items,
                      const Lambda &lambda) {
  std::string begin = function + "(" + llvm::join(items, ", ") + (items.empty() ? "" : ", ");
  begin += lambda.head();
  std::string oneLine = begin + " " + lambda.statements.front() + " });";
  if (lambda.statements.size() == 1 && out.fits(oneLine)) {
    out.line(oneLine);
    return true;
  }
  if (!out.fits(begin))
    return false;
  out.open(begin);
  for (const std::string &statement : lambda.statements)
    out.line(statement);
  out.close("});");
  return true;
}

/// The same with the items, and then the lambda, on lines of their own.
static void printLongCall(CudaPrinter &out, const std::string &function,
                          ArrayRef<std::string> items, const Lambda &lambda) {
  out.line(function + "(");
  out.indent();
  out.indent();
  if (!items.empty())
    out.list("", items, ",");
  out.list(lambda.captures + "(", lambda.parameters, ") {");
  out.indent();
  for (const std::string &statement : lambda.statements)
    out.line(statement);
  out.close("});");
  out.unindent();
  out.unindent();
}

/// "variable = function(items, lambda);". A call that is too long for the line of its variable
/// stands below it.
static void assignCall(KernelEmitter &e, StringRef assigned, const std::string &function,
                       ArrayRef<std::string> items, const Lambda &lambda) {
  if (printCall(e.out, assigned.str() + function, items, lambda))
    return;
  e.out.line(assigned.rtrim());
  e.out.indent();
  e.out.indent();
  if (!printCall(e.out, function, items, lambda))
    printLongCall(e.out, function, items, lambda);
  e.out.unindent();
  e.out.unindent();
}

static void emitResult(KernelEmitter &e, MapOp map, OpResult result) {
  Value yielded = map.getBody().front().getTerminator()->getOperand(result.getResultNumber());
  if (emitFill(e, map, result, yielded))
    return;
  if (auto product = yielded.getDefiningOp<arith::MulFOp>();
      product && product.getFastmath() == arith::FastMathFlags::none &&
      llvm::any_of(product->getOperands(),
                   [](Value v) { return matchPattern(v, m_AnyZeroFloat()); }))
    e.out.comment("0 times x, not 0: a NaN stays NaN");
  std::string argument = resultArgument(e, map, result);
  SmallVector<std::string> items = e.texts(map.getInputs());
  if (isConversion(map, result, yielded)) {
    StringRef element = elementName(cast<tk::ElementsInterface>(result.getType()).getElementType());
    return e.out.list(assign(e, result) + "convert<" + element + ">(", items, ");");
  }

  Lambda lambda = spellLambda(e, map, result.getResultNumber());
  assignCall(e, assign(e, result), (map.getCoordinates().empty() ? "map" : "map_at") + argument,
             items, lambda);
}

void backend::emit(KernelEmitter &e, MapOp op) {
  for (OpResult result : op.getResults())
    if (!result.use_empty() || op.getNumResults() == 1)
      emitResult(e, op, result);
}

void backend::emit(KernelEmitter &e, AnyRowOp op) {
  SmallVector<std::string> items = e.texts(op.getInputs());
  Lambda lambda = spellLambda(e, op, 0);
  // The same in all threads of the warp.
  assignCall(e, e.define("bool", op.getResult(), "any"), "any_row", items, lambda);
}
