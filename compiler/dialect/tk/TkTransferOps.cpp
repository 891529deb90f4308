//===- TkTransferOps.cpp - Verifiers of loads, stores, reads and writes ---===//
#include "dialect/tk/PagedLoad.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc::tk;

/// One index per dimension, and a tensor that has rows and columns for a tile.
static LogicalResult verifyAccess(Operation *op, GlobalType global, size_t indices, Type value) {
  if (isa<TileType>(value) && global.getRank() < 2)
    return op->emitOpError("a tile needs a tensor of rank 2 or more, this one has rank ")
           << global.getRank();
  if (indices != size_t(global.getRank()))
    return op->emitOpError("a tensor of rank ")
           << global.getRank() << " needs as many indices, but " << indices << " are given";
  return success();
}

/// A page's rows begin where a swizzle pattern of shared memory does.
static constexpr int64_t rowsOfSwizzle = 8;

static StringRef getKind(Type type) { return isa<TileType>(type) ? "tile" : "vector"; }

LogicalResult LoadOp::verify() {
  GlobalType source = getSource().getType();
  Type type = getResult().getType();
  int64_t pages = countPages(*this);
  auto tile = dyn_cast<TileType>(type);
  bool isPaged = tile && pages > 1 && getIndices().size() == size_t(pages * source.getRank());
  if (failed(verifyAccess(*this, source, isPaged ? source.getRank() : getIndices().size(), type)))
    return failure();
  if (isPaged && tile.getRows() % (rowsOfSwizzle * pages))
    return emitOpError("loads ") << tile.getRows() << " rows of " << pages
                                 << " pages, which should have as many each, a multiple of "
                                 << rowsOfSwizzle;
  Type element = cast<ElementsInterface>(type).getElementType();
  if (element != source.getElementType())
    return emitOpError("loads ") << source.getElementType() << " into a " << getKind(type) << " of "
                                 << element;
  return success();
}

LogicalResult StackOp::verify() {
  if (getTiles().empty() || !llvm::all_equal(getTiles().getTypes()))
    return emitOpError("stacks tiles of one type");
  auto tile = cast<TileType>(getTiles().front().getType());
  auto all = cast<TileType>(getResult().getType());
  if (all != TileType::get(getContext(), tile.getRows() * int64_t(getTiles().size()),
                           tile.getCols(), tile.getElementType(), Space::Shared, Layout::None))
    return emitOpError("makes ") << all << " of " << getTiles().size() << " times " << tile;
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, cast<GlobalType>(getDest().getType()), getIndices().size(),
                      getValue().getType());
}

/// An index for each row of a tile, or for each element of a vector.
static LogicalResult verifyIndex(Operation *op, Type type, TileVectorType index, StringRef moves) {
  if (!index.getElementType().isInteger())
    return op->emitOpError("an index is an integer, not ") << index.getElementType();
  auto elements = cast<ElementsInterface>(type);
  if (auto vector = dyn_cast<TileVectorType>(type)) {
    if (vector.getLength() != index.getLength() ||
        vector.getOrientation() != index.getOrientation())
      return op->emitOpError(moves) << " " << vector << " by " << index
                                    << ", which should have its length and orientation";
  } else if (index.getOrientation() != Orientation::Column ||
             index.getLength() != elements.getRows()) {
    return op->emitOpError(moves) << " " << type << " by " << index
                                  << ", which should be a column vector with its rows";
  }
  return success();
}

LogicalResult GatherOp::verify() {
  Type type = getResult().getType();
  if (failed(verifyAccess(*this, getSource().getType(), getIndices().size(), type)))
    return failure();
  return verifyIndex(*this, type, cast<TileVectorType>(getIndex().getType()), "gathers");
}

LogicalResult ScatterOp::verify() {
  Type type = getValue().getType();
  if (failed(verifyAccess(*this, getDest().getType(), getIndices().size(), type)))
    return failure();
  if (getCombine() == Combine::Mul)
    return emitOpError("multiplies in memory, where elements are added, or the larger or smaller "
                       "one stays");
  return verifyIndex(*this, type, cast<TileVectorType>(getIndex().getType()), "scatters");
}

/// `part`, in registers, is a whole part of `whole`, in shared memory, and has its element type.
static LogicalResult verifyPart(Operation *op, Type part, Type whole, size_t indices) {
  auto small = cast<ElementsInterface>(part), large = cast<ElementsInterface>(whole);
  if (isa<TileType>(part) != isa<TileType>(whole))
    return op->emitOpError("moves a ")
           << getKind(part) << " between registers and a " << getKind(whole);
  if (small.getElementType() != large.getElementType())
    return op->emitOpError("takes elements of ")
           << large.getElementType() << " as " << small.getElementType()
           << "; convert them with tk.map";
  size_t rank = isa<TileType>(part) ? 2 : 1;
  if (indices != 0 && indices != rank)
    return op->emitOpError("a part of a ") << getKind(whole) << " is found by " << rank
                                           << " indices, but " << indices << " are given";
  auto fits = [&](int64_t taken, int64_t all) { return indices ? all % taken == 0 : all == taken; };
  bool isPart;
  if (auto vector = dyn_cast<TileVectorType>(part))
    isPart = fits(vector.getLength(), cast<TileVectorType>(whole).getLength());
  else
    isPart = fits(small.getRows(), large.getRows()) && fits(small.getCols(), large.getCols());
  if (!isPart)
    return op->emitOpError() << part << " is no whole part of " << whole;
  return success();
}

AllocOp WriteOp::getAlloc() {
  Value dest = getDest();
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(dest)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      if (!init)
        return {};
      dest = init->get();
    } else if (auto loop = dest.getDefiningOp<scf::ForOp>()) {
      dest = loop.getInitArgs()[cast<OpResult>(dest).getResultNumber()];
    } else if (auto branch = dest.getDefiningOp<scf::IfOp>()) {
      dest = branch.thenYield().getOperand(cast<OpResult>(dest).getResultNumber());
    } else if (auto write = dest.getDefiningOp<WriteOp>()) {
      dest = write.getDest();
    } else {
      return dest.getDefiningOp<AllocOp>();
    }
  }
}

LogicalResult WriteOp::verify() {
  return verifyPart(*this, getValue().getType(), getDest().getType(), getIndices().size());
}

LogicalResult ReadOp::verify() {
  return verifyPart(*this, getResult().getType(), getSource().getType(), getIndices().size());
}

LogicalResult ReadColumnOp::verify() {
  auto tile = cast<TileType>(getSource().getType());
  auto vector = cast<TileVectorType>(getResult().getType());
  if (vector.getOrientation() == Orientation::Column && vector.getLength() == tile.getRows() &&
      vector.getElementType() == tile.getElementType())
    return success();
  return emitOpError("reads a column of ") << tile << " as " << vector;
}
