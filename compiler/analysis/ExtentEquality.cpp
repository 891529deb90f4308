//===- ExtentEquality.cpp - Dimensions that one index walks ---------------===//
//
// `load(A, {m, k})` and `load(B, {k, n})` walk the columns of A and the rows of B
// with the same k, in steps of the same tile extent. If the two extents differed
// at launch, the product would silently run over zeros or drop values. So two
// dimensions that one index of the grid or of a loop walks, with equal steps,
// must be equal, and the launcher checks it. A dimension that is walked in parts,
// as the columns of C are by `store(C, {m, n * 4 + j})` or rows by `m * 16 + warp`, has
// the steps of the whole.
//
// A dimension that the index also walks further on, as the columns of X are by `load(X, {m, n})`
// and `load(X, {m, n + half})`, is longer than the index goes, so nothing is known of it; neither
// where the other number is computed from the index in another way, as in `load(X, {m, heads + n /
// group})`, or is none that the kernel knows, as in `load(X, {m, heads})`. `n - 1`, `n / 2` and `n
// % 4` go no further, and `heads - 1 - n`, where n has `heads` values, walks the same from its end
// on.
//
// A branch that compares the index with an extent, as in `if (h < K.depth())`, says
// itself how far it goes: extents walked inside are compared with nothing outside.
//
//===----------------------------------------------------------------------===//
#include "analysis/ExtentEquality.h"

#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <set>

using namespace mlir;
using namespace tkc;

namespace {
/// One dimension of an argument, and the access that walks it.
struct Walked {
  int64_t argument, dim, extent;
  Operation *access;
};
} // namespace

/// The index of a grid or a loop, or null.
static bool isIndex(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return false;
  Operation *parent = argument.getOwner()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(parent);
  return isa<tk::GridOp>(parent) || (loop && loop.getInductionVar() == argument);
}

/// True if both are one value, or the same extent of one tensor.
static bool areSame(Value a, Value b) {
  auto one = a.getDefiningOp<tk::ExtentOp>(), other = b.getDefiningOp<tk::ExtentOp>();
  return a == b ||
         (one && other &&
          OperationEquivalence::isEquivalentTo(one, other, OperationEquivalence::IgnoreLocations));
}

/// The index of `count - 1 - index`, if the grid has `count` of it; or null.
static Value getReversed(Value value) {
  auto reversed = value.getDefiningOp<arith::SubIOp>();
  auto last = reversed ? reversed.getLhs().getDefiningOp<arith::SubIOp>() : nullptr;
  auto index = last ? dyn_cast<BlockArgument>(reversed.getRhs()) : nullptr;
  auto grid = index ? dyn_cast<tk::GridOp>(index.getOwner()->getParentOp()) : nullptr;
  bool isWhole = grid && matchPattern(last.getRhs(), m_One()) &&
                 areSame(last.getLhs(), grid.getExtents()[index.getArgNumber()]);
  return isWhole ? index : Value();
}

/// `index` of `index * 1 + 0`, as the user's functions may have it before it is simplified, and of
/// one that walks from the end on.
static Value simplified(Value index) {
  if (Value forwards = getReversed(index))
    return forwards;
  Operation *op = index.getDefiningOp();
  for (unsigned i : {0, 1})
    if ((isa_and_nonnull<arith::AddIOp>(op) && matchPattern(op->getOperand(i), m_Zero())) ||
        (isa_and_nonnull<arith::MulIOp>(op) && matchPattern(op->getOperand(i), m_One())))
      return simplified(op->getOperand(1 - i));
  return index;
}

/// The numbers from 0 that a part has, if it is a constant or the number of a warp or warpgroup; or
/// 0.
static int64_t getPartCount(Value number) {
  APInt constant;
  if (matchPattern(number, m_ConstantInt(&constant)))
    return constant.sge(0) ? constant.getSExtValue() + 1 : 0;
  auto argument = dyn_cast<BlockArgument>(number);
  auto each = argument ? dyn_cast<tk::EachOp>(argument.getOwner()->getParentOp()) : nullptr;
  return each ? each.getCount() : 0;
}

/// An index that counts parts of what another one counts: index * count + number, with 0 <= number
/// < count.
static std::pair<Value, int64_t> getWhole(Value written) {
  Value index = simplified(written);
  int64_t parts = 1;
  Value product = index;
  if (auto sum = index.getDefiningOp<arith::AddIOp>())
    for (unsigned i : {0, 1})
      if (int64_t count = getPartCount(sum->getOperand(i))) {
        parts = count;
        product = sum->getOperand(1 - i);
      }
  APInt count(32, 1);
  if (auto scaled = product.getDefiningOp<arith::MulIOp>())
    for (unsigned i : {0, 1})
      if (matchPattern(scaled->getOperand(i), m_ConstantInt(&count)) && count.sge(parts))
        return {simplified(scaled->getOperand(1 - i)), count.getSExtValue()};
  return {index, 1};
}

/// True if `written` goes no further than an index that it is computed from, or is a constant, as
/// far as it does not add anything to one: then the dimension is as long as the index says.
static bool goesNoFurther(Value written) {
  Value value = simplified(written);
  if (matchPattern(value, m_Constant()) || isIndex(value) || getPartCount(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto [whole, parts] = getWhole(value);
  if (parts > 1)
    return goesNoFurther(whole);
  if (isa<arith::AddIOp>(op))
    return llvm::any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned i) {
      APInt constant;
      return matchPattern(op->getOperand(1 - i), m_ConstantInt(&constant)) &&
             constant.isNegative() && goesNoFurther(op->getOperand(i));
    });
  if (isa<arith::SubIOp, arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp, arith::RemSIOp,
          arith::ShRSIOp>(op))
    return goesNoFurther(op->getOperand(0));
  if (isa<arith::MinSIOp>(op))
    return goesNoFurther(op->getOperand(0)) || goesNoFurther(op->getOperand(1));
  if (isa<arith::MaxSIOp>(op))
    return goesNoFurther(op->getOperand(0)) && goesNoFurther(op->getOperand(1));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return goesNoFurther(select.getTrueValue()) && goesNoFurther(select.getFalseValue());
  return false;
}

/// The indices of grids and loops that a value is computed from.
static SmallVector<Value> getIndicesOf(Value value) {
  SmallVector<Value> indices;
  llvm::SetVector<Value> used;
  used.insert(value);
  for (size_t i = 0; i < used.size(); ++i)
    if (isIndex(used[i]))
      indices.push_back(used[i]);
    else if (Operation *op = used[i].getDefiningOp(); op && op->getNumRegions() == 0)
      used.insert(op->operand_begin(), op->operand_end());
  return indices;
}

/// True if the value is computed from the index and from the extent of a tensor.
static bool comparesWithExtent(Value value, Value index) {
  bool hasIndex = false, hasExtent = false;
  llvm::SetVector<Value> used;
  used.insert(value);
  for (size_t i = 0; i < used.size(); ++i) {
    Operation *op = used[i].getDefiningOp();
    hasIndex |= used[i] == index;
    hasExtent |= isa_and_nonnull<tk::ExtentOp>(op);
    if (op && op->getNumRegions() == 0)
      used.insert(op->operand_begin(), op->operand_end());
  }
  return hasIndex && hasExtent;
}

/// The side of the outermost branch around the access that says how far the index goes, or null.
static Region *findBound(Operation *access, Value index) {
  Region *bound = nullptr;
  for (Operation *op = access; !isa<tk::KernelOp>(op); op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
        branch && comparesWithExtent(branch.getCondition(), index))
      bound = op->getParentRegion();
  return bound;
}

int64_t tkc::getAccessStep(Type accessed, int64_t fromEnd) {
  if (auto vector = dyn_cast<tk::TileVectorType>(accessed))
    return fromEnd == 1 ? vector.getLength() : 1;
  auto tile = cast<tk::TileType>(accessed);
  return fromEnd == 2 ? tile.getRows() : fromEnd == 1 ? tile.getCols() : 1;
}

static std::string spell(int64_t extent) {
  return ShapedType::isDynamic(extent) ? std::string("?") : std::to_string(extent);
}

FailureOr<ArrayAttr> tkc::getEqualExtents(tk::KernelOp kernel) {
  // The dimensions that an index walks further on, too, by argument and dimension; with null, those
  // that any index may.
  llvm::DenseMap<Value, std::set<std::pair<int64_t, int64_t>>> longer;
  // Who walks with (index, elements per step), in one side of a branch; in program order.
  llvm::MapVector<std::pair<Value, std::pair<int64_t, Region *>>, SmallVector<Walked>> walked;
  auto add = [&](Operation *access, Value tensor, ValueRange indices, Type accessed) {
    auto argument = dyn_cast<BlockArgument>(tensor);
    if (!argument || argument.getOwner()->getParentOp() != kernel)
      return;
    auto type = cast<tk::GlobalType>(tensor.getType());
    for (auto [dim, written] : llvm::enumerate(indices)) {
      auto [index, parts] = getWhole(written);
      if (!goesNoFurther(written)) {
        SmallVector<Value> from = getIndicesOf(written);
        if (from.empty())
          from.push_back(Value());
        for (Value before : from)
          longer[before].insert({argument.getArgNumber(), int64_t(dim)});
      }
      if (!isIndex(index))
        continue;
      int64_t step = parts * getAccessStep(accessed, type.getRank() - int64_t(dim));
      walked[{index, {step, findBound(access, index)}}].push_back(
          {argument.getArgNumber(), int64_t(dim), type.getShape()[dim], access});
    }
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<tk::LoadOp>(op))
      for (int64_t page = 0; page < tk::countPages(load); ++page)
        add(op, load.getSource(), tk::getPlaceOfPage(load, page), tk::getPageType(load));
    else if (auto store = dyn_cast<tk::StoreOp>(op))
      add(op, store.getDest(), store.getIndices(), store.getValue().getType());
  });

  std::map<std::array<int64_t, 4>, Attribute> pairs;
  for (auto &[key, places] : walked) {
    Value index = key.first;
    llvm::erase_if(places, [&](const Walked &place) {
      std::pair<int64_t, int64_t> dimension{place.argument, place.dim};
      return longer[index].contains(dimension) || longer[Value()].contains(dimension);
    });
    if (places.empty())
      continue;
    llvm::sort(places, [](const Walked &a, const Walked &b) {
      return std::pair(a.argument, a.dim) < std::pair(b.argument, b.dim);
    });
    const Walked &first = places.front();
    for (const Walked &other : ArrayRef(places).drop_front()) {
      if (other.argument == first.argument && other.dim == first.dim)
        continue;
      StringRef name = getSourceName(index);
      if (!ShapedType::isDynamic(first.extent) && !ShapedType::isDynamic(other.extent)) {
        if (first.extent == other.extent)
          continue;
        InFlightDiagnostic diagnostic =
            other.access->emitError()
            << "dimension " << other.dim << " of '" << kernel.getArgumentName(other.argument)
            << "' is " << spell(other.extent) << ", but dimension " << first.dim << " of '"
            << kernel.getArgumentName(first.argument) << "' is " << spell(first.extent) << ", and '"
            << (name.empty() ? "one index" : name) << "' walks both";
        diagnostic.attachNote(first.access->getLoc()) << "the other access is here";
        return failure();
      }
      pairs.try_emplace({first.argument, first.dim, other.argument, other.dim},
                        hopper::EqualExtentAttr::get(kernel.getContext(), first.argument, first.dim,
                                                     other.argument, other.dim, name,
                                                     getSourceLine(index.getLoc())));
    }
  }
  SmallVector<Attribute> attributes;
  for (auto &[key, attribute] : pairs)
    attributes.push_back(attribute);
  return ArrayAttr::get(kernel.getContext(), attributes);
}
