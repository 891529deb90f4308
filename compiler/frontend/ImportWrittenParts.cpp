//===- ImportWrittenParts.cpp - Loops that write a shared tile in parts ---===//
//
// Shared memory is a value of the bytes that it was written to, so a loop that
// replaces it cannot carry it: there would have to be two. A loop that stores parts
// of it and nothing else works in place:
//
//   st<bf16, 64, 256> row;
//   for (int n = 0; n < 4; ++n)
//     store(row, {0, n}, ...);
//
// The loop carries the memory then. If the tile had no value before, it has one
// afterwards if all iterations together store every part, which takes bounds and
// places that are known when the kernel is compiled.
//
//===----------------------------------------------------------------------===//
#include "frontend/ImportLoops.h"

#include "frontend/SharedValues.h"

#include "llvm/ADT/MapVector.h"
#include <set>

using namespace clang;
using namespace tkc;

/// How many stores of parts are followed, iteration by iteration.
static constexpr unsigned mostStores = 65536;

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

namespace {
/// How often a statement names each variable, and how often as the tile whose part it stores.
class PartStores {
public:
  explicit PartStores(Vocabulary &language) : language(language) {}

  void visit(const Stmt *statement) {
    if (!statement)
      return;
    if (auto *reference = dyn_cast<DeclRefExpr>(statement))
      if (auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
        ++counts[variable].named;
    if (auto *call = dyn_cast<CallExpr>(statement);
        call && call->getNumArgs() == 3 && language.findCallee(call) == Word::store_shared)
      if (auto *stored = dyn_cast<DeclRefExpr>(call->getArg(0)->IgnoreParenImpCasts()))
        if (auto *variable = dyn_cast<VarDecl>(stored->getDecl()))
          ++counts[variable].stored;
    for (const Stmt *child : statement->children())
      visit(child);
  }

  struct Count {
    unsigned named = 0, stored = 0;
  };
  llvm::MapVector<const VarDecl *, Count> counts;

private:
  Vocabulary &language;
};
} // namespace

void LoopImporter::prepareParts(const Stmt *body) {
  PartStores parts(language);
  parts.visit(body);
  for (auto [variable, count] : parts.counts) {
    std::optional<Object> known = environment.find(variable);
    if (!count.stored || count.named != count.stored || !known || !types.isValue(known->type))
      continue;
    Slot &slot = environment[known->first];
    mlir::Type type = types.value(known->type, SourceLocation());
    if (type && isShared(type) && !slot.value && slot.lost.isInvalid())
      slot.value = createAlloc(builder, locate(variable->getLocation()), type);
  }
}

//===----------------------------------------------------------------------===//
// After it
//===----------------------------------------------------------------------===//

namespace {
/// The parts that a loop stores.
class WrittenParts {
public:
  /// Follows `value` back to `carried` through stores of parts and loops of such, none of which
  /// anything else reads; false if there is something else.
  static bool reaches(mlir::Value value, mlir::BlockArgument carried) {
    while (value != carried) {
      if (auto write = value.getDefiningOp<tk::WriteOp>();
          write && !write.getIndices().empty() && value.hasOneUse())
        value = write.getDest();
      else if (auto loop = value.getDefiningOp<mlir::scf::ForOp>(); loop && value.hasOneUse()) {
        unsigned number = cast<mlir::OpResult>(value).getResultNumber();
        if (!reaches(loop.getYieldedValues()[number], loop.getRegionIterArg(number)))
          return false;
        value = loop.getInitArgs()[number];
      } else
        return false;
    }
    return carried.hasOneUse();
  }

  /// Adds what all iterations store; false if it is not known.
  bool add(mlir::scf::ForOp loop, mlir::Value yielded) {
    std::optional<int64_t> from = evaluate(loop.getLowerBound()),
                           to = evaluate(loop.getUpperBound()), step = evaluate(loop.getStep());
    if (!from || !to || !step || *step < 1)
      return false;
    for (int64_t i = *from; i < *to; i += *step) {
      scalars[loop.getInductionVar()] = i;
      for (mlir::Value value = yielded; !isa<mlir::BlockArgument>(value);) {
        if (++stores > mostStores)
          return false;
        if (auto inner = value.getDefiningOp<mlir::scf::ForOp>()) {
          unsigned number = cast<mlir::OpResult>(value).getResultNumber();
          if (!add(inner, inner.getYieldedValues()[number]))
            return false;
          value = inner.getInitArgs()[number];
          continue;
        }
        auto write = value.getDefiningOp<tk::WriteOp>();
        if (!add(write))
          return false;
        value = write.getDest();
      }
    }
    return true;
  }

  /// True if all of a tile or vector of this type was stored, in equal parts.
  bool areAllOf(mlir::Type type) const {
    return partBytes && static_cast<int64_t>(places.size()) * partBytes == getBytes(type);
  }

private:
  static int64_t getBytes(mlir::Type type) {
    if (auto vector = dyn_cast<tk::TileVectorType>(type))
      return vector.getBytes();
    return cast<tk::TileType>(type).getBytes();
  }

  bool add(tk::WriteOp write) {
    llvm::SmallVector<int64_t> place;
    for (mlir::Value index : write.getIndices()) {
      std::optional<int64_t> number = evaluate(index);
      if (!number)
        return false;
      place.push_back(*number);
    }
    const int64_t bytes = getBytes(write.getValue().getType());
    if (partType && partType != write.getValue().getType())
      return false;
    partType = write.getValue().getType();
    partBytes = bytes;
    places.insert(std::vector<int64_t>(place.begin(), place.end()));
    return true;
  }

  std::optional<int64_t> evaluate(mlir::Value value) {
    if (auto known = scalars.find(value); known != scalars.end())
      return known->second;
    mlir::Operation *op = value.getDefiningOp();
    if (!op || !value.getType().isInteger(32) || op->getNumRegions())
      return std::nullopt;
    llvm::SmallVector<mlir::Attribute> operands;
    for (mlir::Value operand : op->getOperands()) {
      std::optional<int64_t> number = evaluate(operand);
      if (!number)
        return std::nullopt;
      operands.push_back(mlir::IntegerAttr::get(operand.getType(), *number));
    }
    llvm::SmallVector<mlir::OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return std::nullopt;
    auto folded = dyn_cast_if_present<mlir::Attribute>(results.front());
    auto number = dyn_cast_or_null<mlir::IntegerAttr>(folded);
    if (number)
      return number.getInt();
    auto same = dyn_cast_if_present<mlir::Value>(results.front());
    return same && same != value ? evaluate(same) : std::nullopt;
  }

  llvm::DenseMap<mlir::Value, int64_t> scalars;
  std::set<std::vector<int64_t>> places;
  mlir::Type partType;
  int64_t partBytes = 0;
  unsigned stores = 0;
};
} // namespace

bool LoopImporter::hasWrittenParts(mlir::scf::ForOp loop, mlir::BlockArgument carried,
                                   mlir::Value yielded) {
  mlir::Value init = loop.getTiedLoopInit(carried)->get();
  if (!yielded || !isWrittenMemory(init) || !WrittenParts::reaches(yielded, carried))
    return false;
  if (!init.getDefiningOp<tk::AllocOp>())
    return true; // it had a value, or a loop around asks
  WrittenParts parts;
  return parts.add(loop, yielded) && parts.areAllOf(init.getType());
}
