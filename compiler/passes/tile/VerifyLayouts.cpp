//===- VerifyLayouts.cpp - Refuses what the machine cannot do -------------===//
//
// The verifiers of the tk dialect refuse errors on any machine. The rest
// are tiles that the target's tensor cores and copies cannot do (target/Target.h). It
// is refused here, first of all passes, so that every later one may assume it,
// and in the user's terms: tiles, not descriptors.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/TripCount.h"
#include "analysis/hazards/SlicePlaces.h"
#include "dialect/tk/PagedLoad.h"
#include "dialect/tk/Tk.h"
#include "dialect/tk/TkOffsetOp.h"
#include "dialect/tk/TkPartOp.h"
#include "passes/Passes.h"
#include "target/Target.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

namespace tkc {
#define GEN_PASS_DEF_VERIFYLAYOUTS
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

/// Adds the place where a tile is declared, if it is another one, and the fix.
static LogicalResult explain(InFlightDiagnostic &diagnostic, Operation *op, Value tile,
                             const Twine &fix) {
  Location declaration = getDeclaration(tile);
  if (declaration != op->getLoc())
    diagnostic.attachNote(declaration) << quoteTileName(tile) << " is declared here";
  diagnostic.attachNote(op->getLoc()) << fix;
  return failure();
}

/// True in a loop over warps, each of which has tiles of its own.
static bool isInWarps(Operation *op) {
  auto each = op->getParentOfType<tk::EachOp>();
  return each && each.getWorker() == tk::EachWorker::Warp;
}

/// Rows of which register tiles of the op's workers have a multiple.
static int64_t getRowUnit(Operation *op) {
  return getTarget().getRowUnit(isInWarps(op) ? TileHolder::Warp : TileHolder::Warpgroups);
}

/// Register tiles are dealt out in blocks of rows. Said once for each tile, where it begins:
/// a tile computed from tiles of the same height is not at fault.
static LogicalResult verifyHeight(Operation *op, Value tile) {
  auto type = dyn_cast<tk::ElementsInterface>(tile.getType());
  auto isRegister = [](Type type) {
    auto tile = dyn_cast<tk::TileType>(type);
    auto vector = dyn_cast<tk::TileVectorType>(type);
    return (tile && tile.isRegister()) || (vector && vector.isRegister());
  };
  const int64_t unit = getTarget().getRowUnit(TileHolder::Warpgroups);
  if (!type || !isRegister(tile.getType()) || type.getRows() % unit == 0 || isInWarps(op))
    return success();
  for (Value operand : op->getOperands())
    if (auto from = dyn_cast<tk::ElementsInterface>(operand.getType());
        from && isRegister(operand.getType()) && from.getRows() == type.getRows())
      return success();
  InFlightDiagnostic diagnostic =
      op->emitError() << quoteTileName(tile) << " has " << type.getRows()
                      << " rows when a register tile's height should be a multiple of " << unit;
  int64_t rows = llvm::alignTo(type.getRows(), unit);
  return explain(diagnostic, op, tile,
                 "a warpgroup computes " + Twine(unit) + " rows at a time; make the tile " +
                     Twine(rows) + " rows high, or work on it in a loop over warps(n), where " +
                     Twine(getTarget().getRowUnit(TileHolder::Warp)) + " rows do");
}

/// Columns of a tile go through registers as rows do of its transpose: only a warp's own tiles do.
static LogicalResult verifyLayout(Operation *op, Value tile) {
  auto type = dyn_cast<tk::TileType>(tile.getType());
  if (!type || type.getLayout() != tk::Layout::Col || isInWarps(op))
    return success();
  InFlightDiagnostic diagnostic = op->emitError()
                                  << quoteTileName(tile) << " has the layout 'col' when it should "
                                  << "be 'row'";
  return explain(diagnostic, op, tile,
                 "only in a loop over warps(n) are there MMAs that take 'col'; those of "
                 "warpgroups take B from shared memory");
}

//===----------------------------------------------------------------------===//
// MMAs
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccumulator(tk::MmaOp op) {
  auto acc = cast<tk::TileType>(op.getAcc().getType());
  bool isInteger = cast<tk::TileType>(op.getB().getType()).getElementType().isInteger(8);
  bool isRight = isInteger ? acc.getElementType().isInteger(32) : acc.getElementType().isF32();
  if (!isRight) {
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "the accumulator holds " << acc.getElementType()
                                    << " when it should hold " << (isInteger ? "i32" : "f32");
    return explain(diagnostic, op, op.getAcc(),
                   isInteger ? "declare it as an rt<int32, ...> and convert the sum"
                             : "declare it as an rt<float, ...> and round when it is stored");
  }
  if (acc.getLayout() != tk::Layout::Row) {
    InFlightDiagnostic diagnostic = op.emitError() << "the accumulator's layout is '"
                                                   << tk::stringifyLayout(acc.getLayout())
                                                   << "' when it should be 'row'";
    return explain(diagnostic, op, op.getAcc(),
                   "the tensor cores write rows; declare it without 'col'");
  }
  return success();
}

/// The operand's elements, which the tensor cores multiply. A warp takes 16-bit ones alone, for
/// those of other sizes lie where its MMAs do not look for B.
static LogicalResult verifyElements(tk::MmaOp op, StringRef name, Value operand) {
  auto type = cast<tk::TileType>(operand.getType());
  std::optional<MmaOperands> kind = getTarget().getMma(type.getElementType());
  if (kind && (kind->transposes || !isInWarps(op)))
    return success();
  InFlightDiagnostic diagnostic = op.emitError() << name << " holds " << type.getElementType()
                                                 << " when it should hold bf16 or f16";
  if (kind)
    return explain(diagnostic, op, operand,
                   "the MMAs of a single warp take 16-bit elements; convert the tile, or multiply "
                   "tiles of 64 rows outside of warps(n)");
  return explain(diagnostic, op, operand, "the tensor cores have no such MMA");
}

/// Shared operands that are not 16 bits wide have K contiguous.
static LogicalResult verifyContiguous(tk::MmaOp op, StringRef name, Value operand,
                                      bool isContiguous, StringRef fix) {
  auto type = cast<tk::TileType>(operand.getType());
  if (isContiguous || !type.isShared() || getTarget().getMma(type.getElementType())->transposes)
    return success();
  InFlightDiagnostic diagnostic =
      op.emitError() << name << " holds " << type.getElementType() << " and is contiguous along "
                     << (name == "A" ? "M" : "N") << " when it should be along K";
  return explain(diagnostic, op, operand, fix);
}

/// An operand in registers: the layout that the form asks for.
static LogicalResult verifyTag(tk::MmaOp op, StringRef name, Value operand, tk::Layout wanted) {
  auto type = cast<tk::TileType>(operand.getType());
  if (type.getLayout() == wanted)
    return success();
  InFlightDiagnostic diagnostic = op.emitError()
                                  << name << " of mma_" << tk::stringifyMmaForm(op.getForm())
                                  << " has the layout '" << tk::stringifyLayout(type.getLayout())
                                  << "' when it should be '" << tk::stringifyLayout(wanted) << "'";
  return explain(diagnostic, op, operand,
                 "pass swap_layout of it; it costs 4 movmatrix for each 16 x 16");
}

/// An MMA of one warp's tiles: all in registers.
static LogicalResult verifyWarpMma(tk::MmaOp op) {
  for (auto [name, operand] : {std::pair("A", op.getA()), std::pair("B", op.getB())}) {
    auto type = cast<tk::TileType>(operand.getType());
    if (type.isShared()) {
      InFlightDiagnostic diagnostic = op.emitError()
                                      << name << " is in shared memory when it should be in "
                                      << "registers";
      return explain(diagnostic, op, operand,
                     "the MMAs of a single warp take registers; load it into an rt<...> first");
    }
    if (failed(verifyElements(op, name, operand)))
      return failure();
  }
  if (failed(verifyTag(op, "A", op.getA(), op.isATransposed() ? tk::Layout::Col : tk::Layout::Row)))
    return failure();
  return verifyTag(op, "B", op.getB(), op.isBTransposed() ? tk::Layout::Row : tk::Layout::Col);
}

/// An MMA of warpgroups: B is in shared memory, and A if it is transposed.
static LogicalResult verifyWarpgroupMma(tk::MmaOp op) {
  auto a = cast<tk::TileType>(op.getA().getType()), b = cast<tk::TileType>(op.getB().getType());
  if (b.isRegister()) {
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "B is in registers when it should be in shared memory";
    return explain(diagnostic, op, op.getB(),
                   "load it into an st<...>, or store it to one; only in a loop over warps(n) do "
                   "MMAs take B from registers");
  }
  if (failed(verifyElements(op, "A", op.getA())) || failed(verifyElements(op, "B", op.getB())))
    return failure();
  if (a.isRegister() && op.isATransposed()) {
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "A is transposed and in registers when it should be M x K";
    return explain(diagnostic, op, op.getA(),
                   "store it to an st<...>, or pass transpose(...) of it to mma_AB or mma_ABt");
  }
  if (a.isRegister() && failed(verifyTag(op, "A", op.getA(), tk::Layout::Row)))
    return failure();
  if (failed(verifyContiguous(op, "A", op.getA(), !op.isATransposed(),
                              "load A as M x K and use mma_AB or mma_ABt")))
    return failure();
  return verifyContiguous(op, "B", op.getB(), op.isBTransposed(),
                          "load B as N x K and use mma_ABt");
}

static LogicalResult verify(tk::MmaOp op) {
  if (failed(verifyAccumulator(op)))
    return failure();
  return isInWarps(op) ? verifyWarpMma(op) : verifyWarpgroupMma(op);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// A tile that TMA moves needs a swizzle, so that the tensor cores can read it without bank
/// conflicts.
static LogicalResult verifyRow(Operation *op, tk::TileType type, Type elementType) {
  int64_t bits = tk::getStorageBits(elementType);
  const int64_t unit = getTarget().getRowBytesUnit();
  if (bits % 8 == 0 && getTarget().isRowOfTile(type.getCols() * bits / 8))
    return success();
  InFlightDiagnostic diagnostic = op->emitError()
                                  << "a row of " << type.getCols() << " " << elementType
                                  << " takes " << type.getCols() * bits / 8
                                  << " bytes when it should be a multiple of " << unit;
  diagnostic.attachNote(op->getLoc())
      << "swizzles are " << unit << ", " << 2 * unit << " or " << 4 * unit
      << " bytes wide; make the tile "
      << llvm::alignTo(type.getCols(), bits < 8 * unit ? 8 * unit / bits : 1) << " columns wide";
  return failure();
}

static LogicalResult verifyShared(Operation *op, Type type) {
  auto tile = dyn_cast<tk::TileType>(type);
  return tile ? verifyRow(op, tile, tile.getElementType()) : success();
}

/// A tensor in fragment order holds either tiles or vectors. A tile that is loaded has all columns:
/// TMA copies blocks of 16 rows as they lie.
static LogicalResult verifyFragments(Operation *op, Value tensor, Type moved) {
  auto type = cast<tk::GlobalType>(tensor.getType());
  if (!type.getInFragments())
    return success();
  auto tile = dyn_cast<tk::TileType>(moved);
  const bool hasAll = tile && tile.getCols() == type.getShape().back();
  if (type.holdsVectors() ? !tile : hasAll || (tile && isa<tk::StoreOp>(op)))
    return success();
  InFlightDiagnostic diagnostic = op->emitError() << "moves a ";
  if (tile)
    diagnostic << "tile of " << tile.getCols() << " columns";
  else
    diagnostic << "vector";
  diagnostic << " where a tensor in fragment order holds ";
  if (type.holdsVectors())
    diagnostic << "vectors";
  else
    diagnostic << "tiles of " << type.getShape().back() << " columns";
  diagnostic.attachNote(op->getLoc())
      << "elements of a block of 16 rows follow one another as the lanes of a warp hold them; "
      << (tile && type.holdsVectors() ? "compile the columns into the tensor's type"
          : tile                      ? "move all of its columns"
                                      : "leave the last extent open, -1, for vectors")
      << ", or declare it as a 'gl'";
  return failure();
}

/// A tile loaded from a tensor in fragment order is read whole into registers: the tensor
/// cores would take it for rows.
static LogicalResult verify(tk::LoadOp op) {
  if (failed(verifyFragments(op, op.getSource(), op.getResult().getType())))
    return failure();
  if (op.getSource().getType().getInFragments())
    for (Operation *user : op->getUsers())
      if (auto read = dyn_cast<tk::ReadOp>(user);
          !read || (!read.getIndices().empty() && isa<tk::TileType>(read.getType()))) {
        InFlightDiagnostic diagnostic =
            user->emitError() << "uses " << quoteTileName(op.getResult())
                              << ", which lies in fragment order, other than by reading all of it "
                                 "into registers";
        return explain(diagnostic, op, op.getResult(),
                       "load it into registers, or declare the tensor as a 'gl'");
      }
  return verifyShared(op, op.getResult().getType());
}

static LogicalResult verify(tk::StoreOp op) {
  if (failed(verifyFragments(op, op.getDest(), op.getValue().getType())))
    return failure();
  Type element = cast<tk::GlobalType>(op.getDest().getType()).getElementType();
  auto value = cast<tk::ElementsInterface>(op.getValue().getType());
  if (!value.getElementType().isF32() && value.getElementType() != element) {
    InFlightDiagnostic diagnostic = op.emitError() << "stores a tile of " << value.getElementType()
                                                   << " to a tensor of " << element;
    return explain(diagnostic, op, op.getValue(),
                   "store a tile of f32, which is rounded, or one of the tensor's type");
  }
  auto tile = dyn_cast<tk::TileType>(op.getValue().getType());
  if (!tile)
    return success();
  if (tile.getLayout() == tk::Layout::Col) {
    InFlightDiagnostic diagnostic = op.emitError() << "the tile's layout is '"
                                                   << tk::stringifyLayout(tile.getLayout())
                                                   << "' when it should be 'row'";
    return explain(diagnostic, op, op.getValue(), "pass swap_layout of it: stores take rows");
  }
  int64_t unit = getRowUnit(op);
  if (tile.isShared() && tile.getRows() % unit) {
    InFlightDiagnostic diagnostic =
        op.emitError() << quoteTileName(op.getValue()) << " has " << tile.getRows()
                       << " rows when a stored tile's height should be a multiple of " << unit;
    return explain(diagnostic, op, op.getValue(),
                   "it is stored by way of registers; make it " +
                       Twine(llvm::alignTo(tile.getRows(), unit)) + " rows high");
  }
  return verifyRow(op, tile, element);
}

/// Parts of shared tiles lie in them, for every worker that takes one, and are whole swizzle-atom
/// columns or equal parts of one: what reads a tile knows how its swizzle-atom columns follow each
/// other.
static LogicalResult verifyShared(tk::SliceOp op, tk::TileType source) {
  auto part = dyn_cast<tk::TileType>(op.getResult().getType());
  if (!part)
    return success();
  Value whole = op.getSource();
  SmallVector<SmallVector<int64_t>> outerColumns;
  while (auto outer = whole.getDefiningOp<tk::SliceOp>()) {
    if (std::optional<SmallVector<int64_t>> places = getSlicePlaces(outer, 1))
      outerColumns.push_back(*places); // it is refused itself otherwise
    whole = outer.getSource();
  }
  auto getColumn = [&](unsigned worker, int64_t place) {
    for (ArrayRef<int64_t> places : outerColumns)
      place += places.size() > 1 ? places[worker] : places.front();
    return place;
  };
  const int64_t atom =
      getTarget().getAtomCols(cast<tk::TileType>(whole.getType()).getCols(), part.getElementType());
  for (unsigned dim : {0, 1}) {
    StringRef what = dim ? "column" : "row";
    const int64_t taken = dim ? part.getCols() : part.getRows();
    const int64_t extent = dim ? source.getCols() : source.getRows();
    std::optional<SmallVector<int64_t>> places = getSlicePlaces(op, dim);
    if (!places) {
      InFlightDiagnostic diagnostic =
          op.emitError() << "the " << what << " at which a part of a shared tile begins is neither "
                         << "a constant nor computed from the number of a warpgroup or warp";
      return explain(diagnostic, op, whole,
                     "where the part begins must be known for each of them when the kernel is "
                     "compiled; choose between constant parts instead");
    }
    for (auto [worker, place] : llvm::enumerate(*places)) {
      auto refuse = [&]() {
        InFlightDiagnostic diagnostic = op.emitError()
                                        << "takes " << what << "s " << place << " to "
                                        << place + taken - 1 << " of " << extent;
        if (places->size() > 1)
          diagnostic << " where the number is " << worker;
        return diagnostic;
      };
      if (place % 16 || place < 0 || place + taken > extent) {
        InFlightDiagnostic diagnostic = refuse();
        return explain(diagnostic, op, whole,
                       "parts of shared tiles begin at multiples of 16, and end within the tile");
      }
      const int64_t inAtom = atom ? getColumn(worker, place) % atom : 0;
      const bool isWhole = atom && inAtom == 0 && taken % atom == 0;
      const bool isInOne = atom && atom % taken == 0 && inAtom + taken <= atom;
      if (dim == 1 && atom && !isWhole && !isInOne) {
        InFlightDiagnostic diagnostic = refuse();
        return explain(diagnostic, op, whole,
                       "the tile lies in shared memory in swizzle-atom columns of " + Twine(atom) +
                           " columns; take whole swizzle-atom columns, or columns of one "
                           "swizzle-atom column whose number "
                           "divides " +
                           Twine(atom));
      }
    }
  }
  return success();
}

/// Parts of shared tiles whose place is known lie in them, for every worker that reads or writes
/// one.
static LogicalResult verifyInside(Operation *op, OperandRange indices, Type part, Type whole) {
  auto getExtent = [](Type type, unsigned dim) {
    if (auto vector = dyn_cast<tk::TileVectorType>(type))
      return vector.getLength();
    auto tile = cast<tk::TileType>(type);
    return dim ? tile.getCols() : tile.getRows();
  };
  for (auto [dim, index] : llvm::enumerate(indices)) {
    const int64_t parts = getExtent(whole, dim) / getExtent(part, dim);
    std::optional<SmallVector<int64_t>> numbers =
        evaluateForWorkers(index, op->getParentOfType<tk::EachOp>());
    for (auto [worker, number] : llvm::enumerate(numbers.value_or(SmallVector<int64_t>()))) {
      if (number >= 0 && number < parts)
        continue;
      InFlightDiagnostic diagnostic = op->emitError() << "takes part " << number << " of " << parts;
      if (numbers->size() > 1)
        diagnostic << " where the number is " << worker;
      diagnostic.attachNote(op->getLoc())
          << "the place of a part counts parts of that size, from 0 on";
      return diagnostic;
    }
  }
  return success();
}

static LogicalResult verify(tk::ReadOp op) {
  return verifyInside(op, op.getIndices(), op.getResult().getType(), op.getSource().getType());
}

/// False for what only other workers do: it stands in a branch that the number decides.
static bool mayRunIn(Operation *op, tk::EachOp each, int64_t worker) {
  for (Operation *inner = op, *parent = op->getParentOp(); parent != each;
       inner = parent, parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch)
      continue;
    std::optional<SmallVector<int64_t>> decided = evaluateForWorkers(branch.getCondition(), each);
    const bool isThen = &branch.getThenRegion() == inner->getParentRegion();
    if (decided && bool((*decided)[worker]) != isThen)
      return false;
  }
  return true;
}

/// Each worker of a `tk.each` writes to its own places of a tile that all have in common.
static LogicalResult verify(tk::WriteOp op) {
  if (failed(verifyInside(op, op.getIndices(), op.getValue().getType(), op.getDest().getType())))
    return failure();
  tk::AllocOp alloc = op.getAlloc();
  if (!alloc || !alloc.getCommon())
    return success();
  auto each = op->getParentOfType<tk::EachOp>();
  std::map<SmallVector<int64_t>, int64_t> writers;
  for (int64_t worker = 0; each && worker < int64_t(each.getCount()); ++worker) {
    if (!mayRunIn(op, each, worker))
      continue;
    SmallVector<int64_t> place;
    for (Value index : op.getIndices()) {
      std::optional<SmallVector<int64_t>> numbers = evaluateForWorkers(index, each);
      if (!numbers)
        return op.emitError()
               << "the part of the shared tile that each warpgroup writes is not computed "
               << "from its number alone; where it lies must be known when the kernel is "
               << "compiled, so that no two write to one place";
      place.push_back((*numbers)[worker]);
    }
    auto [writer, isFirst] = writers.try_emplace(place, worker);
    if (isFirst)
      continue;
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "warpgroups " << writer->second << " and " << worker
                                    << " would write to the same part of this shared tile";
    diagnostic.attachNote(op.getLoc()) << "compute the part's place from the number of the "
                                          "warpgroup, as in 'store(tile, {w, 0}, x)'";
    return diagnostic;
  }
  return success();
}

/// Parts of register tiles begin and end where a thread's registers do.
static LogicalResult verify(tk::SliceOp op) {
  auto source = dyn_cast<tk::TileType>(op.getSource().getType());
  if (source && source.isShared())
    return verifyShared(op, source);
  if (!source)
    return success();
  bool isCol = source.getLayout() == tk::Layout::Col;
  if (isCol && isa<tk::TileVectorType>(op.getResult().getType())) {
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "takes a vector out of a tile of layout 'col'";
    return explain(diagnostic, op, op.getSource(), "take it out of swap_layout of the tile");
  }
  auto part = dyn_cast<tk::TileType>(op.getResult().getType());
  int64_t rowUnit = getRowUnit(op), columnUnit = getTarget().getColumnUnit();
  if (isCol)
    std::swap(rowUnit, columnUnit);
  if (!part || (op.getOffsets()[0] % rowUnit == 0 && op.getOffsets()[1] % columnUnit == 0))
    return success();
  InFlightDiagnostic diagnostic =
      op.emitError() << "takes the part of a register tile that begins at row "
                     << op.getOffsets()[0] << " and column " << op.getOffsets()[1]
                     << " when these should be multiples of " << rowUnit << " and " << columnUnit;
  return explain(diagnostic, op, op.getSource(),
                 "elements lie in different threads; store the tile to shared memory and read the "
                 "part from there");
}

/// Combining the rows or columns of a 'col' tile would give a vector that lies the other way.
static LogicalResult verify(tk::ReduceOp op) {
  if (cast<tk::TileType>(op.getSource().getType()).getLayout() != tk::Layout::Col)
    return success();
  InFlightDiagnostic diagnostic = op.emitError() << "reduces a tile of layout 'col'";
  return explain(diagnostic, op, op.getSource(), "reduce swap_layout of the tile");
}

/// Vectors lie along 'row' tiles.
static LogicalResult verify(tk::MapOp op) {
  bool hasCol = false, hasVector = false;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op.getInputs()),
                                         SmallVector<Value>(op.getResults()))) {
    auto tile = dyn_cast<tk::TileType>(value.getType());
    hasCol |= tile && tile.getLayout() == tk::Layout::Col;
    hasVector |= !tile;
  }
  if (!hasCol || !hasVector)
    return success();
  InFlightDiagnostic diagnostic = op.emitError() << "combines a tile of layout 'col' with a vector";
  diagnostic.attachNote(op.getLoc())
      << "vectors lie along tiles of layout 'row': do this first, and "
      << "swap_layout after it";
  return failure();
}

/// Rows before a part are rows of the tensor, or none: its tensor map knows only where it ends.
static LogicalResult verifyIndices(tk::LoadOp op, const TripCount &ranges) {
  auto part = op.getSource().getDefiningOp<tk::PartOp>();
  if (!part)
    return success();
  for (int64_t page = 0; page < tk::countPages(op); ++page) {
    Value index = tk::getPlaceOfPage(op, page)[part.getDim()];
    auto offset = index.getDefiningOp<tk::OffsetOp>();
    if (ranges.isNonNegative(offset ? offset.getElements() : index, op))
      continue;
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "index " << part.getDim() << " of this load from a part may "
                                    << "be negative when it should be at least 0";
    diagnostic.attachNote(index.getLoc()) << "it is computed here";
    diagnostic.attachNote(op.getLoc())
        << "the tensor goes on before the part; bound the index, for example by max(0, ...)";
    return failure();
  }
  return success();
}

/// TMA stores trap at negative coordinates, without a hint of the cause; loads read zeros there.
static LogicalResult verifyIndices(tk::StoreOp op, const TripCount &ranges) {
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    if (ranges.isNonNegative(index, op))
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "index " << dim << " of this store may be negative when it should "
                       << "be at least 0";
    diagnostic.attachNote(index.getLoc()) << "it is computed here";
    diagnostic.attachNote(op.getLoc())
        << "elements before a tensor cannot be skipped as those after it are; "
        << "bound the index, for example by max(0, ...)";
    return failure();
  }
  return success();
}

namespace {
struct VerifyLayouts : tkc::impl::VerifyLayoutsBase<VerifyLayouts> {
  void runOnOperation() override {
    bool isLegal = true;
    getOperation()->walk([&](Operation *op) {
      isLegal &= succeeded(
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case<tk::MmaOp, tk::LoadOp, tk::StoreOp, tk::ReadOp, tk::WriteOp, tk::SliceOp,
                    tk::ReduceOp, tk::MapOp>([](auto known) { return verify(known); })
              .Case([](tk::AllocOp alloc) {
                return verifyShared(alloc, alloc.getResult().getType());
              })
              .Default(success()));
      for (Value result : op->getResults())
        isLegal &= succeeded(verifyHeight(op, result));
    });
    if (!isLegal)
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      for (Value result : op->getResults())
        isLegal &= succeeded(verifyLayout(op, result));
    });
    getOperation()->walk([&](tk::KernelOp kernel) {
      TripCount ranges(kernel);
      kernel.walk([&](tk::StoreOp store) { isLegal &= succeeded(verifyIndices(store, ranges)); });
      kernel.walk([&](tk::LoadOp load) { isLegal &= succeeded(verifyIndices(load, ranges)); });
    });
    if (!isLegal)
      signalPassFailure();
  }
};
} // namespace
