//===- EmitCopies.cpp - Shared tiles, TMA and register stores as CUDA -----===//
//
// A stage of a ring is printed where it is used, `a[use.stage]`, unless
// tk-legalize-for-emission has given it a name.
//
//===----------------------------------------------------------------------===//
#include "backend/KernelEmitter.h"
#include "backend/UnnamedValues.h"
#include "dialect/hopper/EmissionAttributes.h"
#include "dialect/tk/SourceNames.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::backend;
using namespace tkc::hopper;

//===----------------------------------------------------------------------===//
// Shared tiles
//===----------------------------------------------------------------------===//

std::string backend::tileText(KernelEmitter &e, Value tile) {
  if (e.values.isBound(tile))
    return e.text(tile);
  return llvm::TypeSwitch<Operation *, std::string>(tile.getDefiningOp())
      .Case([&](StageOp stage) {
        return e.text(stage.getRing()) + "[" + e.text(stage.getCursor()) + ".stage]";
      })
      .Case(
          [&](SlotOp slot) { return e.text(slot.getRing()) + "[" + e.text(slot.getIndex()) + "]"; })
      .Case([&](RowsOp rows) {
        return tileText(e, rows.getSource()) + ".rows<" +
               std::to_string(rows.getResult().getType().getRows()) + ">(" +
               e.text(rows.getFirst()) + ")";
      })
      .Case([&](ColumnsOp columns) {
        return tileText(e, columns.getSource()) + ".columns<" +
               std::to_string(columns.getResult().getType().getCols()) + ">(" +
               e.text(columns.getFirst()) + ")";
      })
      .Default([&](Operation *op) {
        e.values.error(op ? op : tile.getParentBlock()->getParentOp(),
                       "gives a shared tile that has no spelling in CUDA");
        return std::string();
      });
}

/// The tile of a ring as a constant, if tk-legalize-for-emission has given it a name. A ring that
/// has the user's name leaves its tile another one.
static void declareTile(KernelEmitter &e, Operation *op, Value ring) {
  auto wanted = op->getAttrOfType<StringAttr>(tileNameAttrName);
  if (!wanted)
    return;
  Value tile = op->getResult(0);
  emitSourceLine(e, tile.getLoc());
  std::string text = tileText(e, tile), name;
  std::string otherwise = wanted.empty() ? e.text(ring) + "_tile" : wanted.str();
  if (getSourceName(tile) == e.text(ring)) {
    name = e.names.take(otherwise);
    e.values.bind(tile, name);
  } else {
    name = e.declare(tile, otherwise);
  }
  e.out.line("const auto " + name + " = " + text + ";");
}

void backend::emit(KernelEmitter &e, StageOp op) { declareTile(e, op, op.getRing()); }
void backend::emit(KernelEmitter &e, SlotOp op) {
  if (!e.stores.isArgument(op))
    declareTile(e, op, op.getRing());
}

// Printed where they are used.
void backend::emit(KernelEmitter &e, RowsOp op) {}
void backend::emit(KernelEmitter &e, ColumnsOp op) {}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

/// The tensor map's name and the braces with the tile's origin.
static std::string mapText(KernelEmitter &e, Operation *op, Value source) {
  if (isa<TensorMapType>(source.getType()))
    return e.text(source);
  e.values.error(op, "copies a tensor without a tensor map; run tk-legalize-for-emission first");
  return {};
}

std::string backend::originText(KernelEmitter &e, ValueRange coordinates) {
  std::string text = "{";
  llvm::ListSeparator comma;
  for (const std::string &coordinate : e.texts(coordinates))
    text += std::string(StringRef(comma)) + coordinate;
  return text + "}";
}

/// The last argument of a copy that tells L2 how long to keep its lines.
static void addPolicy(SmallVector<std::string> &items, std::optional<tk::CachePolicy> policy) {
  if (policy)
    items.push_back(("cache_policy::" + tk::stringifyCachePolicy(*policy)).str());
}

void backend::emit(KernelEmitter &e, TmaLoadOp op) {
  std::string landed = e.text(op.getBarrier()) + "[" + e.text(op.getCursor()) + ".stage]";
  SmallVector<std::string> items = {tileText(e, op.getDest()), mapText(e, op, op.getSource()),
                                    originText(e, op.getCoordinates()), landed};
  addPolicy(items, op.getPolicy());
  e.out.list("tma_load(", items, ");");
}

void backend::emit(KernelEmitter &e, PrefetchMapsOp op) {
  e.out.list("prefetch_tensormaps(", e.texts(op.getMaps()), ");",
             "the first copies need not fetch them");
}

void backend::emit(KernelEmitter &e, PrefetchLoadOp op) {
  e.out.list("tma_prefetch(",
             {tileText(e, op.getTile()), mapText(e, op, op.getSource()),
              originText(e, op.getCoordinates())},
             ");");
}

void backend::emit(KernelEmitter &e, CopyElementOp op) {
  std::string landed = e.text(op.getBarrier()) + "[" + e.text(op.getCursor()) + ".stage]";
  e.out.list(
      "copy_element(",
      {tileText(e, op.getDest()), e.text(op.getSource()), originText(e, op.getIndices()), landed},
      ");");
}

void backend::emitTmaStore(KernelEmitter &e, TmaStoreOp op, const std::string &origin,
                           const std::string &buffer) {
  SmallVector<std::string> items = {mapText(e, op, op.getDest()), origin, buffer};
  addPolicy(items, op.getPolicy());
  e.out.list(op.getAccumulate() ? "tma_store_add(" : "tma_store(", items, ");",
             op.getPolicyReason().value_or(""));
  e.out.line("bulk_commit();");
}

void backend::emit(KernelEmitter &e, TmaStoreOp op) {
  emitTmaStore(e, op, originText(e, op.getCoordinates()), tileText(e, op.getSource()));
}

void backend::emitTailColumns(KernelEmitter &e, StoreTailColumnsOp op, const std::string &origin,
                              const std::string &buffer) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs a whole warpgroup, which only a consumer is");
  std::string tensor = "the tensor";
  if (BlockArgument argument = tensorBehind(op.getDest()))
    tensor = e.facts.interface.arguments[argument.getArgNumber()].userName.str();
  std::string reason = "where rows of " + tensor +
                       " are not whole 16 bytes, which is all that TMA writes, threads write the "
                       "last columns";
  std::string function = op.getAccumulate() ? "add_tail_columns" : "store_tail_columns";
  SmallVector<std::string> items = {mapText(e, op, op.getDest()), origin, buffer};
  addPolicy(items, op.getPolicy());
  e.out.list(function + (e.inWarps() ? "<1>(" : "("), items, ");", reason);
}

void backend::emit(KernelEmitter &e, StoreTailColumnsOp op) {
  emitTailColumns(e, op, originText(e, op.getCoordinates()), tileText(e, op.getSource()));
}

void backend::emit(KernelEmitter &e, WaitStoresReadOp op) {
  e.out.line("bulk_wait_read<" + Twine(op.getPending()) + ">();", op.getReason());
}

//===----------------------------------------------------------------------===//
// Registers and shared memory
//===----------------------------------------------------------------------===//

static int64_t rowsOfRegisters(Value value) {
  return cast<tk::ElementsInterface>(value.getType()).getRows();
}

std::string backend::registersText(KernelEmitter &e, StoreFragmentOp op) {
  FragmentType from = op.getSource().getType();
  SharedType to = op.getDest().getType();
  std::string block = e.text(op.getSource());
  int64_t rows = e.rowsOf(from.getRows());
  if (to.getRows() <
      rows) // rows are counted as those of the fragment, which stands for four warps' tiles
    block += ".rows<" + std::to_string(to.getRows()) + ">(" +
             (e.inWarps() ? e.text(op.getRow(), Precedence::Multiplicative) + " / 4"
                          : e.text(op.getRow())) +
             ")";
  if (to.getCols() != from.getCols())
    block += ".columns<" + std::to_string(to.getCols()) + ">(" + e.text(op.getColumn()) + ")";
  return block;
}

void backend::emitStoreRegisters(KernelEmitter &e, const std::string &buffer,
                                 const std::string &part) {
  e.out.list("store(", {buffer, part}, ");");
}

void backend::emit(KernelEmitter &e, StoreFragmentOp op) {
  emitStoreRegisters(e, tileText(e, op.getDest()), registersText(e, op));
}

void backend::emit(KernelEmitter &e, LoadFragmentOp op) {
  std::string memory = tileText(e, op.getSource());
  std::string type = registerType(e, op, op.getResult());
  auto isLeftOperand = [&](Operation *user) {
    auto mma = dyn_cast<WgmmaOp>(user);
    return mma && mma.getA() == op.getResult();
  };
  auto vector = dyn_cast<FragmentVectorType>(op.getResult().getType());
  bool isSplit = vector && vector.getOrientation() == tk::Orientation::Split;
  std::string function = op->hasAttr(transposedAttrName) ? "load_transposed<"
                         : isSplit                       ? "load_split<"
                         : op.getInOrder()               ? "load_fragments<"
                                                         : "load<";
  e.out.list(assign(e, op->getResult(0)) + function + type + ">(", {memory}, ");",
             llvm::any_of(op->getUsers(), isLeftOperand) ? "a fragment: MMAs read it from registers"
                                                         : "");
}

void backend::emit(KernelEmitter &e, LoadColumnOp op) {
  std::string type = registerType(e, op, op.getResult());
  e.out.list(assign(e, op->getResult(0)) + "load_column<" + type + ">(",
             {tileText(e, op.getSource()), e.text(op.getColumn())}, ");");
}

void backend::emit(KernelEmitter &e, LoadElementOp op) {
  std::string memory = tileText(e, op.getSource());
  StringRef type = scalarTypeName(op.getResult().getType());
  e.out.line("const " + type + " " + e.declareNext(op.getResult(), nameScalar(op.getResult())) +
             " = load_element(" + memory + ");");
}

/// Calls that store a row vector say that a warp is on its own; a column vector's type says it.
static StringRef forWarps(KernelEmitter &e, Value vector) {
  return e.inWarps() && !rowsOfRegisters(vector) ? "<1>(" : "(";
}

void backend::emit(KernelEmitter &e, StoreVectorOp op) {
  StringRef function = op.getSplit() ? "store_split" : op.getInOrder() ? "store_in_order" : "store";
  e.out.list(function + forWarps(e, op.getSource()),
             {tileText(e, op.getDest()), e.text(op.getSource())}, ");");
}

//===----------------------------------------------------------------------===//
// Registers and global memory
//===----------------------------------------------------------------------===//

void backend::emit(KernelEmitter &e, StoreGlobalOp op) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs a whole warpgroup, which only a consumer is");
  std::string function = op.getAccumulate() ? "store_add" : "store";
  if (op.getDest().getType().getInFragments())
    function = op.getAccumulate() ? "add_fragments" : "store_fragments";
  e.out.list(function + forWarps(e, op.getSource()),
             {e.text(op.getDest()), originText(e, op.getCoordinates()), e.text(op.getSource())},
             ");");
}

void backend::emit(KernelEmitter &e, GatherOp op) {
  std::string type = registerType(e, op, op.getResult());
  e.out.list(assign(e, op->getResult(0)) + "gather<" + type + ">(",
             {e.text(op.getSource()), originText(e, op.getCoordinates()), e.text(op.getIndex())},
             ");");
}

void backend::emit(KernelEmitter &e, ScatterOp op) {
  if (!e.role || e.inProducer())
    return e.values.error(op, "needs a whole warpgroup, which only a consumer is");
  std::string function = "scatter";
  if (op.getCombine())
    function += ("_" + tk::stringifyCombine(*op.getCombine())).str();
  e.out.list(function + forWarps(e, op.getSource()),
             {e.text(op.getDest()), originText(e, op.getCoordinates()), e.text(op.getSource()),
              e.text(op.getIndex())},
             ");");
}
