//===- Signature.cpp - The arguments of a kernel, for its callers ---------===//
#include "run/Signature.h"

#include "analysis/ExtentEquality.h"
#include "backend/ElementTypes.h"
#include "backend/Interface.h"
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/TkPartOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "run/ElementValues.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace mlir;
using namespace tkc;
using namespace tkc::run;

namespace {
using Place = std::pair<int64_t, int64_t>; // an argument and a dimension of it
} // namespace

static tk_dtype typeNamed(StringRef name) {
  return llvm::StringSwitch<tk_dtype>(name)
      .Case("TK_BF16", TK_BF16)
      .Case("TK_F16", TK_F16)
      .Case("TK_E4M3", TK_E4M3)
      .Case("TK_E5M2", TK_E5M2)
      .Case("TK_I8", TK_I8)
      .Case("TK_I32", TK_I32)
      .Default(TK_F32);
}

static ScalarKind kindOf(Type scalar) {
  return scalar.isInteger(1)    ? ScalarKind::Bool
         : scalar.isInteger(32) ? ScalarKind::I32
                                : ScalarKind::F32;
}

/// The largest step of an index, in accesses: 16 where rows are drawn as `m * 16 + warp`.
static int64_t getLargestStep(Value index) {
  APInt factor(32, 1);
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    return std::max(getLargestStep(sum.getLhs()), getLargestStep(sum.getRhs()));
  if (auto product = index.getDefiningOp<arith::MulIOp>())
    for (unsigned i : {0, 1})
      if (matchPattern(product->getOperand(i), m_ConstantInt(&factor)) && factor.sgt(0))
        return factor.getSExtValue() * getLargestStep(product->getOperand(1 - i));
  return 1;
}

/// The kernel's argument that a tensor is, or is a part of; null if it is none.
static BlockArgument getArgument(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tkc::tk::getWholeTensor(tensor));
  bool isKernels = argument && isa<tkc::tk::KernelOp>(argument.getOwner()->getParentOp());
  return isKernels ? argument : BlockArgument();
}

/// The largest step that an access takes along each dimension of an argument.
static std::map<Place, int64_t> collectTiles(tkc::tk::KernelOp kernel) {
  std::map<Place, int64_t> tiles;
  auto note = [&](Value tensor, Type accessed, ValueRange indices) {
    BlockArgument argument = getArgument(tensor);
    if (!argument)
      return;
    int64_t rank = cast<tkc::tk::GlobalType>(tensor.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t &tile = tiles[{argument.getArgNumber(), dim}];
      tile = std::max(tile, getLargestStep(indices[dim]) * getAccessStep(accessed, rank - dim));
    }
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tkc::tk::LoadOp>(op))
      for (int64_t page = 0; page < tkc::tk::countPages(load); ++page)
        note(load.getSource(), tkc::tk::getPageType(load), tkc::tk::getPlaceOfPage(load, page));
    else if (auto store = dyn_cast<tkc::tk::StoreOp>(op))
      note(store.getDest(), store.getValue().getType(), store.getIndices());
    else if (auto gather = dyn_cast<tkc::tk::GatherOp>(op))
      note(gather.getSource(), gather.getType(), gather.getIndices());
    else if (auto scatter = dyn_cast<tkc::tk::ScatterOp>(op))
      note(scatter.getDest(), scatter.getValue().getType(), scatter.getIndices());
  });
  return tiles;
}

/// Visits the tensors whose elements an index vector is made of.
static void forEachLoaded(Value index, llvm::function_ref<void(BlockArgument)> visit) {
  llvm::SetVector<Operation *> made;
  auto add = [&](Value value) {
    if (Operation *op = value.getDefiningOp())
      made.insert(op);
  };
  add(index);
  for (unsigned i = 0; i < made.size(); ++i) {
    if (auto load = dyn_cast<tkc::tk::LoadOp>(made[i])) {
      if (BlockArgument argument = getArgument(load.getSource()))
        visit(argument);
      continue;
    }
    for (Value operand : made[i]->getOperands())
      if (isa<tkc::tk::TileVectorType>(operand.getType()))
        add(operand);
  }
}

/// Notes which tensors hold row numbers, and of which tensor's rows.
static void collectRowNumbers(tkc::tk::KernelOp kernel, Signature &signature) {
  auto note = [&](Value index, Value tensor, Type moved, bool areDistinct) {
    BlockArgument rows = getArgument(tensor);
    if (!rows)
      return;
    unsigned rank = cast<tkc::tk::GlobalType>(tensor.getType()).getRank();
    unsigned dim = rank - (isa<tkc::tk::TileVectorType>(moved) ? 1 : 2);
    forEachLoaded(index, [&](BlockArgument numbers) {
      std::optional<RowNumbers> &known = signature.arguments[numbers.getArgNumber()].rowNumbers;
      known = RowNumbers{rows.getArgNumber(), dim, areDistinct || (known && known->areDistinct)};
    });
  };
  kernel.walk([&](Operation *op) {
    if (auto gather = dyn_cast<tkc::tk::GatherOp>(op))
      note(gather.getIndex(), gather.getSource(), gather.getType(), /*areDistinct=*/false);
    else if (auto scatter = dyn_cast<tkc::tk::ScatterOp>(op))
      note(scatter.getIndex(), scatter.getDest(), scatter.getValue().getType(),
           /*areDistinct=*/!scatter.getCombine());
  });
}

static bool accumulates(tkc::tk::KernelOp kernel) {
  return kernel
      .walk([](Operation *op) {
        auto store = dyn_cast<tkc::tk::StoreOp>(op);
        auto scatter = dyn_cast<tkc::tk::ScatterOp>(op);
        bool adds = (store && store.getAccumulate()) ||
                    (scatter && scatter.getCombine() == tkc::tk::Combine::Add);
        return adds ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The spacing at one of the narrowest type that the kernel converts tiles to: a value beside the
/// middle between two of them may become either.
static double getCoarsestStep(tkc::tk::KernelOp kernel) {
  double step = 0;
  kernel.walk([&](arith::TruncFOp rounding) {
    if (const backend::ElementType *element = backend::elementType(rounding.getType()))
      step = std::max(step, spacingAtOne(typeNamed(element->dtype)));
  });
  return step;
}

/// Numbers the extents that are free, in the order of the arguments.
static void numberSizes(Signature &signature, ArrayRef<Place> places,
                        const llvm::EquivalenceClasses<Place> &equal,
                        std::map<Place, std::string> walkedBy, std::map<Place, int64_t> tiles) {
  auto dimension = [&](Place place) -> Dimension & {
    return signature.arguments[place.first].dimensions[place.second];
  };
  std::map<Place, int64_t> fixed; // by the leader of their class
  for (Place place : places)
    if (dimension(place).fixed)
      fixed[equal.getLeaderValue(place)] = *dimension(place).fixed;
  std::map<Place, unsigned> numbers;
  for (Place place : places) {
    Place leader = equal.getLeaderValue(place);
    if (auto found = fixed.find(leader); found != fixed.end()) {
      dimension(place).fixed = found->second;
      continue;
    }
    auto [number, isNew] = numbers.try_emplace(leader, signature.sizes.size());
    if (isNew)
      signature.sizes.push_back({dimension(place).name, "", 1});
    dimension(place).size = number->second;
    Size &size = signature.sizes[number->second];
    size.tile = std::max(size.tile, tiles[place]);
    if (size.walkedBy.empty())
      size.walkedBy = walkedBy[place];
  }
}

FailureOr<Signature> tkc::run::getSignature(tkc::tk::KernelOp kernel) {
  FailureOr<ArrayAttr> equalExtents = getEqualExtents(kernel);
  if (failed(equalExtents))
    return failure();
  backend::Names names;
  backend::Interface interface =
      backend::collectInterface(kernel, kernel.getParameters(), *equalExtents, names);

  Signature signature;
  signature.name = interface.name().str();
  signature.accumulates = accumulates(kernel);
  signature.coarsestStep = getCoarsestStep(kernel);
  llvm::EquivalenceClasses<Place> equal;
  SmallVector<Place> places;
  for (auto [index, facts] : llvm::enumerate(interface.arguments)) {
    Argument &argument = signature.arguments.emplace_back();
    argument.name = facts.userName.str();
    argument.isRead = facts.isRead;
    argument.isWritten = facts.isWritten;
    if (!facts.tensor) {
      argument.scalar = kindOf(facts.scalar);
      continue;
    }
    const backend::ElementType *element = backend::elementType(facts.tensor.getElementType());
    if (!element)
      return kernel->emitOpError("has a tensor '" + argument.name +
                                 "' of elements that cannot be passed to it");
    argument.type = typeNamed(element->dtype);
    for (auto [dim, extent] : llvm::enumerate(facts.tensor.getShape())) {
      Dimension &dimension = argument.dimensions.emplace_back();
      dimension.name =
          argument.name + "." + backend::dimensionName(facts.tensor.getRank(), dim).str();
      if (!ShapedType::isDynamic(extent))
        dimension.fixed = extent;
      if (interface.isRounded(index, dim))
        dimension.multiple = 16;
      equal.insert(places.emplace_back(index, dim));
    }
  }
  std::map<Place, std::string> walkedBy;
  for (auto pair : (*equalExtents).getAsRange<hopper::EqualExtentAttr>()) {
    Place first(pair.getFirstArgument(), pair.getFirstDim());
    Place second(pair.getSecondArgument(), pair.getSecondDim());
    equal.unionSets(first, second);
    walkedBy[first] = walkedBy[second] = pair.getIndex().str();
  }
  numberSizes(signature, places, equal, std::move(walkedBy), collectTiles(kernel));
  collectRowNumbers(kernel, signature);
  return signature;
}
