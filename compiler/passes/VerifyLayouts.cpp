//===- VerifyLayouts.cpp - Refuses what the machine cannot do -------------===//
//
// The verifiers of the tk dialect refuse what is wrong on any machine. What is
// left to refuse is what Hopper's tensor cores, TMA and stmatrix cannot do. It
// is refused here, first of all passes, so that every later one may assume it,
// and in the user's terms: tiles, not descriptors.
//
//===----------------------------------------------------------------------===//
#include "analysis/TileNames.h"
#include "analysis/TripCount.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/hopper/SharedLayout.h"
#include "dialect/hopper/WgmmaShapes.h"
#include "dialect/tk/Tk.h"
#include "passes/Passes.h"

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

/// Register tiles are dealt out in slabs of 64 rows. Said once for each tile, where it begins: what
/// is computed from tiles of the same height is not its fault.
static LogicalResult verifyHeight(Operation *op, Value tile) {
  auto type = dyn_cast<tk::TileType>(tile.getType());
  if (!type || !type.isRegister() || type.getRows() % hopper::slabRows == 0)
    return success();
  for (Value operand : op->getOperands())
    if (auto from = dyn_cast<tk::TileType>(operand.getType());
        from && from.isRegister() && from.getRows() == type.getRows())
      return success();
  InFlightDiagnostic diagnostic = op->emitError()
                                  << quoteTileName(tile) << " has " << type.getRows()
                                  << " rows when a register tile's height should be a multiple of "
                                  << hopper::slabRows;
  int64_t rows = llvm::alignTo(type.getRows(), hopper::slabRows);
  return explain(diagnostic, op, tile,
                 "a warpgroup computes 64 rows at a time; make the tile " + Twine(rows) +
                     " rows high");
}

static LogicalResult verifyAccumulator(tk::MmaOp op) {
  auto acc = cast<tk::TileType>(op.getAcc().getType());
  if (!acc.getElementType().isF32()) {
    InFlightDiagnostic diagnostic = op.emitError()
                                    << "the accumulator holds " << acc.getElementType()
                                    << " when it should hold f32";
    return explain(diagnostic, op, op.getAcc(),
                   "declare it as an rt<float, ...> and round when it is stored");
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

static LogicalResult verifyOperand(tk::MmaOp op, StringRef name, Value operand,
                                   bool isTransposedA) {
  auto type = cast<tk::TileType>(operand.getType());
  if (type.isRegister()) {
    InFlightDiagnostic diagnostic =
        op.emitError() << name << " is in registers when it should be in shared memory";
    return explain(
        diagnostic, op, operand,
        "load it into an st<...>; products with an operand in registers are not supported yet");
  }
  std::optional<hopper::WgmmaKind> kind = hopper::getWgmmaKind(type.getElementType());
  if (!kind || !kind->isInRuntime) {
    InFlightDiagnostic diagnostic = op.emitError() << name << " holds " << type.getElementType()
                                                   << " when it should hold bf16 or f16";
    return explain(diagnostic, op, operand,
                   kind ? "products of this type are not supported yet"
                        : "the tensor cores have no such product");
  }
  if (isTransposedA) {
    InFlightDiagnostic diagnostic = op.emitError()
                                    << name << " is transposed when it should be M x K";
    return explain(diagnostic, op, operand,
                   "load A as M x K; products that transpose A are not supported yet");
  }
  return success();
}

static LogicalResult verify(tk::MmaOp op) {
  if (failed(verifyAccumulator(op)) ||
      failed(verifyOperand(op, "A", op.getA(), op.isATransposed())))
    return failure();
  return verifyOperand(op, "B", op.getB(), /*isTransposedA=*/false);
}

/// A tile that TMA moves needs a swizzle, so that the tensor cores can read it without bank
/// conflicts.
static LogicalResult verifyRow(Operation *op, tk::TileType type, Type elementType) {
  int64_t bits = tk::getStorageBits(elementType);
  if (bits % 8 == 0 && hopper::getSwizzle(type.getCols() * bits / 8))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitError() << "a row of " << type.getCols() << " " << elementType << " takes "
                      << type.getCols() * bits / 8 << " bytes when it should be a multiple of 32";
  diagnostic.attachNote(op->getLoc())
      << "swizzles are 32, 64 or 128 bytes wide; make the tile "
      << llvm::alignTo(type.getCols(), bits < 256 ? 256 / bits : 1) << " columns wide";
  return failure();
}

static LogicalResult verify(tk::LoadOp op) {
  auto type = cast<tk::TileType>(op.getResult().getType());
  return verifyRow(op, type, type.getElementType());
}

static LogicalResult verify(tk::StoreOp op) {
  auto value = cast<tk::TileType>(op.getValue().getType());
  Type element = cast<tk::GlobalType>(op.getDest().getType()).getElementType();
  if (!element.isBF16() && !element.isF16()) {
    InFlightDiagnostic diagnostic = op.emitError() << "the tensor holds " << element
                                                   << " when it should hold bf16 or f16";
    return explain(diagnostic, op, op.getDest(), "only 16-bit outputs are supported yet");
  }
  if (!value.getElementType().isF32() && value.getElementType() != element) {
    InFlightDiagnostic diagnostic = op.emitError() << "stores a tile of " << value.getElementType()
                                                   << " to a tensor of " << element;
    return explain(diagnostic, op, op.getValue(),
                   "store a tile of f32, which is rounded, or one of the tensor's type");
  }
  if (value.getLayout() != tk::Layout::Row) {
    InFlightDiagnostic diagnostic = op.emitError() << "the tile's layout is '"
                                                   << tk::stringifyLayout(value.getLayout())
                                                   << "' when it should be 'row'";
    return explain(diagnostic, op, op.getValue(), "only tiles of layout 'row' can be stored yet");
  }
  return verifyRow(op, value, element);
}

/// TMA stores trap at negative coordinates, without a hint of the cause; loads read zeros there.
static LogicalResult verifyIndices(tk::StoreOp op, const TripCount &ranges) {
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    if (ranges.isNonNegative(index))
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "index " << dim << " of this store may be negative when it should "
                       << "be at least 0";
    diagnostic.attachNote(index.getLoc()) << "it is computed here";
    diagnostic.attachNote(op.getLoc())
        << "elements before a tensor cannot be skipped as those behind it are; "
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
      if (auto mma = dyn_cast<tk::MmaOp>(op))
        isLegal &= succeeded(verify(mma));
      else if (auto load = dyn_cast<tk::LoadOp>(op))
        isLegal &= succeeded(verify(load));
      else if (auto store = dyn_cast<tk::StoreOp>(op))
        isLegal &= succeeded(verify(store));
      for (Value result : op->getResults())
        isLegal &= succeeded(verifyHeight(op, result));
    });
    getOperation()->walk([&](tk::KernelOp kernel) {
      TripCount ranges(kernel);
      kernel.walk([&](tk::StoreOp store) { isLegal &= succeeded(verifyIndices(store, ranges)); });
    });
    if (!isLegal)
      signalPassFailure();
  }
};
} // namespace
