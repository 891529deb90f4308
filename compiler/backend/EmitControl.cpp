//===- EmitControl.cpp - Loops, branches and named scalars as CUDA --------===//
//
// Values that a loop carries are variables in CUDA. Register tiles have theirs
// (RegisterVariables.h), so nothing moves where a loop or a branch yields them; a
// scalar gets a variable of its own before the loop, and the yield assigns it.
//
//===----------------------------------------------------------------------===//
#include "backend/KernelEmitter.h"
#include "backend/UnnamedValues.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperOrderOps.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TemplateParameters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static StringRef scalarType(KernelEmitter &e, Operation *op, Type type) {
  StringRef name = scalarTypeName(type);
  if (name.empty())
    e.values.error(op, "gives a value of a type that has no spelling in CUDA");
  return name;
}

void backend::emitScalar(KernelEmitter &e, Operation *op) {
  if (op->getNumResults() != 1 || !e.values.wantsName(op))
    return;
  Value value = op->getResult(0);
  std::string text = e.text(value);
  StringRef type = scalarType(e, op, value.getType());
  emitSourceLine(e, op->getLoc());
  std::string name = e.declareNext(value, nameScalar(value));
  e.out.line("const " + type + " " + name + " = " + text + ";");
}

/// Whether the scalar `value` lives in a variable, not a constant, that nobody but `op` reads, so
/// that it can go on living there.
static bool handsOver(Value value, Operation *op) {
  if (!value.hasOneUse() || value.getParentBlock() != op->getBlock())
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar();
  }
  return isa<scf::ForOp, scf::IfOp>(value.getDefiningOp());
}

/// Assigns what a region yields to the variables of the op around it, all at once.
static void emitYield(KernelEmitter &e, Operation *yield, ArrayRef<std::string> variables) {
  SmallVector<std::pair<std::string, std::string>> assignments;
  for (auto [value, variable] : llvm::zip_equal(yield->getOperands(), variables))
    if (std::string text = e.text(value); text != variable && !isInRegisters(value))
      assignments.emplace_back(variable, text);
  // A right side may read a variable that an assignment before it writes.
  bool readsVariables = llvm::any_of(assignments, [&](const auto &right) {
    return llvm::any_of(assignments, [&](const auto &left) {
      return &left != &right && StringRef(right.second).contains(left.first);
    });
  });
  for (auto &[variable, text] : assignments) {
    if (!readsVariables)
      break;
    std::string next = e.names.take("next_" + variable);
    e.out.line("const auto " + next + " = " + text + ";");
    text = next;
  }
  for (auto &[variable, text] : assignments)
    e.out.line(variable + " = " + text + ";");
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The body of the loop over tiles.
static void emitTile(KernelEmitter &e, TileLoopOp loop) {
  beginTile(e, loop, e.texts(loop.getIndices()));
  emitBlock(e, loop.getBody().front(), loop.getLoc());
  endTile(e, loop);
}

/// "lpt<false>(m_tiles, heads, head_group)", by the operation that says which tiles are longest.
static std::string spellLpt(KernelEmitter &e, SmallVector<std::string> extents, auto by) {
  extents.push_back(by.getHeadGroup() ? e.text(by.getHeadGroup()) : "0");
  return std::string("lpt<") + (by.getLastFirst() ? "true" : "false") + ">(" +
         llvm::join(extents, ", ") + ")";
}

/// Tiles from the scheduler, which the producer takes and the consumers follow.
static void emitDynamic(KernelEmitter &e, TileLoopOp loop, const std::string &declared,
                        const SmallVector<std::string> &extents) {
  TileSchedulerOp scheduler = e.facts.scheduler;
  if (!scheduler)
    return e.values.error(loop, "takes tiles from a tile scheduler, but the kernel has none");
  if (e.inProducer()) {
    e.out.list("for (" + declared + " : " + e.facts.schedulerName + ".scheduled(",
               {spellLpt(e, extents, scheduler), e.facts.counterName}, ")) {");
  } else {
    e.out.line("for (" + declared + " : " + e.facts.schedulerName + ".followed<" +
               Twine(extents.size()) + ">()) {");
  }
  e.out.indent();
  emitTile(e, loop);
  e.out.close();
}

static constexpr StringLiteral indexNames[] = {"x", "y", "z", "w"}; // where the user gives none

/// "persistent_tiles_grouped<8>("
static std::string spellWalk(StringRef walk, int64_t swizzle) {
  return walk.str() + (swizzle ? "_grouped<" + std::to_string(swizzle) + ">(" : "(");
}

/// "const auto [m, n]", a point of a tile space.
static std::string declarePoint(KernelEmitter &e, ArrayRef<BlockArgument> point) {
  std::string indices;
  llvm::ListSeparator comma;
  for (auto [index, otherwise] : llvm::zip(point, indexNames))
    indices += std::string(StringRef(comma)) + e.declare(index, otherwise);
  if (point.size() == 1)
    return "const int " + indices;
  // nvcc warns of bindings of which none is used.
  bool isUnused = llvm::all_of(point, [](BlockArgument index) { return index.use_empty(); });
  return (isUnused ? "[[maybe_unused]] " : "") + ("const auto [" + indices + "]");
}

/// The statement that gives a block its one tile, or its first one.
template <typename Op> static void emitBlockTile(KernelEmitter &e, Op op) {
  std::string declared = declarePoint(e, op.getIndices());
  SmallVector<std::string> extents = e.texts(op.getExtents());
  if (TileOrderOp order = getTileOrder(KernelOp(e.facts.op)))
    e.out.list(declared + " = block_tile(", {spellLpt(e, extents, order)}, ");",
               "blocks start in the order of their numbers: the longest tiles first");
  else
    e.out.list(declared + " = " + spellWalk("block_tile", op.getSwizzle()), extents, ");");
}

void backend::emit(KernelEmitter &e, FirstTileOp tile) {
  Names::Scope scope(e.names);
  e.out.reason("while the kernel before this one ends, L2 fetches this block's first tiles; "
               "elements read early may be old, and decide nothing else");
  e.out.open("{");
  emitBlockTile(e, tile);
  emitBlock(e, tile.getBody().front(), tile.getLoc());
  e.out.close();
}

void backend::emit(KernelEmitter &e, TileLoopOp loop) {
  if (!isPersistent(e.facts.op) && !loop.getDynamic()) {
    emitBlockTile(e, loop);
    return emitTile(e, loop);
  }
  SmallVector<std::string> extents = e.texts(loop.getExtents());
  std::optional<Names::Scope> scope;
  if (isPersistent(e.facts.op))
    scope.emplace(e.names);
  std::string declared = declarePoint(e, loop.getIndices());
  if (loop.getDynamic())
    return emitDynamic(e, loop, declared, extents);
  e.out.list("for (" + declared + " : " + spellWalk("persistent_tiles", loop.getSwizzle()), extents,
             ")) {");
  e.out.indent();
  emitTile(e, loop);
  e.out.close();
}

static void openLoop(KernelEmitter &e, scf::ForOp loop) {
  std::string lower = e.text(loop.getLowerBound());
  std::string upper = e.text(loop.getUpperBound(), Precedence::Shift);
  std::string index = e.declare(loop.getInductionVar(), "i");
  std::string step =
      constantValue(loop.getStep()) == 1 ? "++" + index : index + " += " + e.text(loop.getStep());
  e.out.directive(loop->hasAttr(unrollAttrName) ? "#pragma unroll" : "#pragma unroll 1");
  e.out.open("for (" + scalarType(e, loop, loop.getInductionVar().getType()) + " " + index + " = " +
             lower + "; " + index + " < " + upper + "; " + step + ") {");
}

/// Where in the grid the tile of an iteration is.
static TileAtOp getPlace(scf::ForOp loop) {
  for (TileAtOp place : loop.getBody()->getOps<TileAtOp>())
    if (place.getTile() == loop.getInductionVar())
      return place;
  return {};
}

/// The loop over a block's tiles by number, as the other roles have it: for (const auto [m, n] :
/// ...
static void openWalk(KernelEmitter &e, scf::ForOp loop) {
  TileLoopOp tiles = e.facts.tileLoop;
  TileAtOp place = getPlace(loop);
  if (!place || !loop.getInductionVar().hasOneUse() || !tiles)
    return e.values.error(loop, "walks tiles, but not by hopper.tile_at alone");
  SmallVector<std::string> names;
  for (auto [index, named, otherwise] :
       llvm::zip(place.getIndices(), tiles.getIndices(), indexNames)) {
    StringRef name = getSourceName(named);
    names.push_back(e.names.take(name.empty() ? StringRef(otherwise) : name));
    e.values.bind(index, names.back());
  }
  std::string declared =
      names.size() == 1 ? "int " + names[0] : "auto [" + llvm::join(names, ", ") + "]";
  e.out.list("for (const " + declared + " : " + spellWalk("persistent_tiles", place.getSwizzle()),
             e.texts(place.getExtents()), ")) {");
  e.out.indent();
  beginTile(e, loop, names);
}

void backend::emit(KernelEmitter &e, scf::ForOp loop) {
  SmallVector<std::string> variables;
  for (auto [init, carried, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    if (isInRegisters(init)) {
      variables.push_back(e.text(init));
    } else if (auto name = e.text(init); handsOver(init, loop)) {
      variables.push_back(name);
    } else {
      variables.push_back(e.declare(carried, "carried"));
      e.out.line(scalarType(e, loop, init.getType()) + " " + variables.back() + " = " + name + ";");
    }
    e.values.bind(carried, variables.back());
    e.values.bind(result, variables.back());
  }

  Names::Scope scope(e.names);
  if (getTileShare(loop))
    openWalk(e, loop);
  else
    openLoop(e, loop);
  emitBlock(e, *loop.getBody(), loop.getLoc());
  emitYield(e, loop.getBody()->getTerminator(), variables);
  if (getTileShare(loop))
    endTile(e, loop);
  e.out.close();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// The loop's variable that a branch may write at once: one that the loop carries, whose next value
/// `result` is, and which nobody reads after the branch, not even in an expression. Null if there
/// is none.
static Value getCarriedVariable(scf::IfOp branch, OpResult result) {
  auto loop = dyn_cast<scf::ForOp>(branch->getParentOp());
  Operation *yield = loop ? loop.getBody()->getTerminator() : nullptr;
  if (!loop || !result.hasOneUse() || *result.user_begin() != yield)
    return {};
  Value carried = loop.getRegionIterArg(result.use_begin()->getOperandNumber());
  SmallVector<Value> readable{carried};
  for (size_t i = 0; i < readable.size(); ++i)
    for (Operation *user : readable[i].getUsers()) {
      Operation *place = loop.getBody()->findAncestorOpInBlock(*user);
      if (!place || branch->isBeforeInBlock(place))
        return {};
      if (isa<arith::ArithDialect, math::MathDialect>(user->getDialect()))
        readable.append(user->result_begin(), user->result_end());
    }
  return carried;
}

/// One branch, which leaves what it yields in `variables`.
static void emitBranch(KernelEmitter &e, scf::IfOp branch, Region &region,
                       ArrayRef<std::string> variables) {
  Names::Scope scope(e.names);
  Block &block = region.front();
  Operation *yield = block.getTerminator();
  for (auto [value, result, variable] :
       llvm::zip_equal(yield->getOperands(), branch.getResults(), variables))
    if (value.hasOneUse() && value.getParentBlock() == &block && !isInRegisters(value) &&
        !getCarriedVariable(branch, result))
      e.yieldTargets[value] = variable;
  emitBlock(e, block, branch.getLoc());
  emitYield(e, yield, variables);
}

/// Whether a branch does nothing, as all it yields is where it should be.
static bool saysNothing(KernelEmitter &e, Region &region, ArrayRef<std::string> variables) {
  if (region.empty())
    return true;
  auto isNothing = [](Operation &op) { return isa<UninitializedOp>(op); };
  if (!llvm::all_of(region.front().without_terminator(), isNothing))
    return false;
  return llvm::all_of(llvm::zip_equal(region.front().getTerminator()->getOperands(), variables),
                      [&](auto pair) {
                        Operation *made = std::get<0>(pair).getDefiningOp();
                        bool isMadeHere = made && made->getParentRegion() == &region;
                        return isMadeHere || e.text(std::get<0>(pair)) == std::get<1>(pair);
                      });
}

/// A name for a scalar that a branch gives, after the variable that a loop carries it in.
static std::string nameByYield(Value value) {
  for (OpOperand &use : value.getUses())
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
        loop && isa<scf::YieldOp>(use.getOwner()))
      if (StringRef name = getSourceName(loop.getRegionIterArg(use.getOperandNumber()));
          !name.empty())
        return (name + "_next").str();
  return "chosen";
}

void backend::emit(KernelEmitter &e, scf::IfOp branch) {
  SmallVector<std::string> variables;
  for (OpResult result : branch.getResults()) {
    if (Value carried = isInRegisters(result) ? Value() : getCarriedVariable(branch, result)) {
      variables.push_back(e.text(carried));
      continue;
    }
    if (isInRegisters(result)) {
      declareEmpty(e, branch, result);
      variables.push_back(e.text(result));
      continue;
    }
    StringRef name = tk::getVariableName(result);
    variables.push_back(e.declare(result, name.empty() ? nameByYield(result) : name.str()));
    e.out.line(scalarType(e, branch, result.getType()).str() + " " + variables.back() + ";");
  }
  bool onlyElse = saysNothing(e, branch.getThenRegion(), variables) &&
                  !saysNothing(e, branch.getElseRegion(), variables);
  std::string condition = onlyElse ? "!" : "";
  condition +=
      e.text(branch.getCondition(), onlyElse ? Precedence::Unary : Precedence::Conditional);
  if (auto because = branch->getAttrOfType<StringAttr>(becauseAttrName))
    e.out.reason(because.getValue());
  if (branch->hasAttr(leavesLoopAttrName)) {
    e.out.open("if (!" + e.text(branch.getCondition(), Precedence::Unary) + ") {");
    emitBranch(e, branch, branch.getElseRegion(), variables);
    e.out.line("break;");
    e.out.close();
    emitBranch(e, branch, branch.getThenRegion(), variables);
    for (auto [result, variable] : llvm::zip_equal(branch.getResults(), variables))
      e.values.bind(result, variable);
    return;
  }
  llvm::SaveAndRestore<bool> isLeaders(e.isLeaders, e.isLeaders || isForLeader(branch));
  if (isForLeader(branch))
    condition = constantValue(branch.getCondition()).value_or(0)
                    ? "leader"
                    : "leader && " + e.text(branch.getCondition(), Precedence::LogicalAnd);
  e.out.open("if (" + condition + ") {");
  if (!onlyElse)
    emitBranch(e, branch, branch.getThenRegion(), variables);
  if (!saysNothing(e, branch.getElseRegion(), variables)) {
    if (!onlyElse)
      e.out.closeAndOpen("} else {");
    emitBranch(e, branch, branch.getElseRegion(), variables);
  }
  e.out.close();
  for (auto [result, variable] : llvm::zip_equal(branch.getResults(), variables))
    e.values.bind(result, variable);
}
