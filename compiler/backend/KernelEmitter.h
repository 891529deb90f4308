//===- KernelEmitter.h - One kernel while it is printed -------------------===//
//
// The state that the Emit*.cpp files share: the printer, the names in scope and the role
// they are in. Each of them spells one group of ops, as free functions `emit`
// over this struct; EmitCuda.cpp chooses among them.
//
// An op that cannot be spelled is reported where it is found and printing goes
// on, so that one run shows all of them; the text is thrown away at the end.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_KERNELEMITTER_H
#define TKC_BACKEND_KERNELEMITTER_H

#include "backend/CudaPrinter.h"
#include "backend/EmitCuda.h"
#include "backend/Expressions.h"
#include "backend/KernelFacts.h"
#include "backend/Names.h"
#include "backend/RegisterVariables.h"
#include "backend/SourceLines.h"
#include "backend/StagedStores.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperPrefetchOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tkc::backend {

/// A role's work between two records of --profile. `Alone` are waits, each of which has its own.
enum class Phase { None, Alone, Load, Mma, Elementwise, Shared, Store };

struct KernelEmitter {
  const EmitOptions &options;
  const KernelFacts &facts;
  CudaPrinter &out;
  Names &names;
  Expressions values = {};

  // The role that is being printed.
  hopper::RoleOp role = {};
  int64_t roleFirstWarpgroup = 0;
  std::string consumer = {}; // the variable that holds the warpgroup's index among the consumers

  // The source lines under which the current line is printed; the last one is the newest.
  llvm::SmallVector<SourceLine> linesAround = {};
  std::optional<SourceLine> currentLine = {};

  // By name, the variables that have been declared.
  llvm::StringMap<mlir::Value> declared = {};
  // By name of a part, the name of the tile that it is a part of.
  llvm::StringMap<std::string> wholes = {};
  // Loops whose first iteration, or a part of it, stands before them.
  llvm::DenseSet<mlir::Operation *> pipelined = llvm::DenseSet<mlir::Operation *>();

  // Scalars that nothing but their branch's yield reads, and the variables they are computed into.
  llvm::DenseMap<mlir::Value, std::string> yieldTargets =
      llvm::DenseMap<mlir::Value, std::string>();

  // With --profile: the kind of the statements since the last record, and the statement that has a
  // record.
  Phase phase = Phase::None;
  mlir::Operation *recorded = nullptr;
  llvm::DenseMap<mlir::Operation *, unsigned> statements =
      llvm::DenseMap<mlir::Operation *, unsigned>();

  // The role's register tiles and vectors.
  std::optional<RegisterVariables> variables = {};

  // Tiles that took over registers in the blocks that are being printed, and the names before.
  llvm::SmallVector<std::pair<mlir::Value, std::string>> takenOver = {};

  // The role's stores that are calls, and the names of the functions that they call.
  StagedStores stores = {};
  llvm::SmallVector<std::string> storeFunctions = {};

  bool isLeaders = false; // inside a branch that only the leader takes
  bool inProducer() { return role && role.getKind() == hopper::RoleKind::Producer; }
  /// Whether every warp of the role has tiles of its own: the runtime's are a quarter of a fragment
  /// then.
  bool inWarps() { return role && role.getEach() == tk::EachWorker::Warp; }
  /// Whether the role is single warps that hold vectors in their lanes.
  bool inLanes() { return role && role.getKind() == hopper::RoleKind::Scanner; }
  /// As many rows of a fragment as the runtime's type has.
  int64_t rowsOf(int64_t fragmentRows) { return inWarps() ? fragmentRows / 4 : fragmentRows; }

  std::string text(mlir::Value value, Precedence tightness = Precedence::Conditional) {
    return values.text(value, tightness);
  }
  /// Each value as an item of an argument list.
  llvm::SmallVector<std::string> texts(mlir::ValueRange range);

  /// Names `value` after the user's variable, or `otherwise` if it has none.
  std::string declare(mlir::Value value, llvm::StringRef otherwise);
  /// The same for a variable, of which a loop may compute the next value.
  std::string declareNext(mlir::Value value, llvm::StringRef otherwise);
  /// Takes `wanted` as the name of the variable of `value`, or `wanted_next` if that is the name of
  /// the same variable before the loop around it: a software pipeline computes the first value
  /// there.
  std::string takeNext(mlir::Value value, llvm::StringRef wanted);
  /// The left side of the statement that computes a scalar: a new constant, or the variable of the
  /// branch that yields it.
  std::string define(llvm::StringRef type, mlir::Value value, llvm::StringRef otherwise);
};

/// Prints the source line of `loc` above what follows, unless it stands above it already.
void emitSourceLine(KernelEmitter &e, mlir::Location loc);

/// A block of ops, each as a statement. The line of `around` counts as printed.
void emitBlock(KernelEmitter &e, mlir::Block &block, mlir::Location around);

/// One op as a statement. EmitCuda.cpp.
void emitOp(KernelEmitter &e, mlir::Operation *op);

/// Whether one thread of a warpgroup does the work of this op. EmitCuda.cpp.
bool isForOneThread(mlir::Operation *op);

// EmitPlan.cpp
void emitKernelComment(KernelEmitter &e);
void emitPlan(KernelEmitter &e);

// EmitKernel.cpp
void emitKernel(KernelEmitter &e);
void emit(KernelEmitter &e, hopper::WarpgroupIndexOp op);

// EmitProfile.cpp: what --profile adds; nothing without it.
void emitProfilePlan(KernelEmitter &e);
/// The role's stream of records, which begins or is over.
void beginProfile(KernelEmitter &e, const RoleFacts &role);
void endProfile(KernelEmitter &e);
/// A record above the statement of `op`, if a phase begins with it.
void emitRecord(KernelEmitter &e, mlir::Operation *op);
/// A record below it, if it has waited for MMAs.
void emitRecordAfter(KernelEmitter &e, mlir::Operation *op);
/// The role's phase where a block begins and after it, if records tell. The former is returned by
/// the one and given to the other.
Phase enterBlock(KernelEmitter &e, mlir::Block &block);
void leaveBlock(KernelEmitter &e, mlir::Block &block, Phase before);
/// The records where the loop over tiles begins a tile, whose indices have these names, and ends
/// it.
void beginTile(KernelEmitter &e, mlir::Operation *loop, llvm::ArrayRef<std::string> indices);
void endTile(KernelEmitter &e, mlir::Operation *loop);

// EmitControl.cpp
void emit(KernelEmitter &e, hopper::TileLoopOp loop);
void emit(KernelEmitter &e, hopper::FirstTileOp tile);
void emit(KernelEmitter &e, mlir::scf::ForOp loop);
void emit(KernelEmitter &e, mlir::scf::IfOp branch);
void emitScalar(KernelEmitter &e, mlir::Operation *op);

// EmitBarriers.cpp
void emit(KernelEmitter &e, hopper::FillOnesOp op);
void emit(KernelEmitter &e, hopper::InitBarrierOp op);
void emit(KernelEmitter &e, hopper::TileSchedulerOp op);
void emit(KernelEmitter &e, hopper::CursorOp op);
void emit(KernelEmitter &e, hopper::AdvanceOp op);
void emit(KernelEmitter &e, hopper::CursorStageOp op);
void emit(KernelEmitter &e, hopper::WaitBarrierOp op);
void emit(KernelEmitter &e, hopper::ExpectBytesOp op);
void emit(KernelEmitter &e, hopper::ArriveOp op);
void emit(KernelEmitter &e, hopper::SyncBlockOp op);
void emit(KernelEmitter &e, hopper::SyncWarpgroupOp op);
void emit(KernelEmitter &e, hopper::SyncConsumersOp op);
void emit(KernelEmitter &e, hopper::SignalWarpgroupOp op);
void emit(KernelEmitter &e, hopper::AwaitWarpgroupOp op);
void emit(KernelEmitter &e, hopper::PingPongBeginOp op);
void emit(KernelEmitter &e, hopper::PingPongAcquireOp op);
void emit(KernelEmitter &e, hopper::PingPongReleaseOp op);
void emit(KernelEmitter &e, hopper::PingPongEndOp op);
void emit(KernelEmitter &e, hopper::FenceBarrierInitOp op);
void emit(KernelEmitter &e, hopper::FenceAsyncProxyOp op);
void emit(KernelEmitter &e, hopper::WaitGridDependencyOp op);
void emit(KernelEmitter &e, hopper::AllowDependentsOp op);

// EmitCopies.cpp
void emit(KernelEmitter &e, hopper::StageOp op);
void emit(KernelEmitter &e, hopper::SlotOp op);
void emit(KernelEmitter &e, hopper::RowsOp op);
void emit(KernelEmitter &e, hopper::ColumnsOp op);
void emit(KernelEmitter &e, hopper::TmaLoadOp op);
void emit(KernelEmitter &e, hopper::PrefetchMapsOp op);
void emit(KernelEmitter &e, hopper::PrefetchLoadOp op);
void emit(KernelEmitter &e, hopper::CopyElementOp op);
void emit(KernelEmitter &e, hopper::LoadColumnOp op);
void emit(KernelEmitter &e, hopper::LoadElementOp op);
void emit(KernelEmitter &e, hopper::TmaStoreOp op);
void emit(KernelEmitter &e, hopper::StoreTailColumnsOp op);
void emit(KernelEmitter &e, hopper::WaitStoresReadOp op);
void emit(KernelEmitter &e, hopper::StoreFragmentOp op);
void emit(KernelEmitter &e, hopper::LoadFragmentOp op);
void emit(KernelEmitter &e, hopper::StoreVectorOp op);
void emit(KernelEmitter &e, hopper::StoreGlobalOp op);
void emit(KernelEmitter &e, hopper::GatherOp op);
void emit(KernelEmitter &e, hopper::ScatterOp op);
/// A shared tile as an operand.
std::string tileText(KernelEmitter &e, mlir::Value tile);
/// The braces with a tile's place in its tensor.
std::string originText(KernelEmitter &e, mlir::ValueRange coordinates);
/// The part of a register tile that the op writes to shared memory.
std::string registersText(KernelEmitter &e, hopper::StoreFragmentOp op);
/// The statements of a store, with these operands.
void emitStoreRegisters(KernelEmitter &e, const std::string &buffer, const std::string &part);
void emitTmaStore(KernelEmitter &e, hopper::TmaStoreOp op, const std::string &origin,
                  const std::string &buffer);
void emitTailColumns(KernelEmitter &e, hopper::StoreTailColumnsOp op, const std::string &origin,
                     const std::string &buffer);

// EmitStagedStores.cpp
/// The role's functions for stores that are alike.
void emitStoreFunctions(KernelEmitter &e);
/// If `op` begins such a store: its call. Returns the last op of the store, null if it is none.
mlir::Operation *emitStoreCall(KernelEmitter &e, mlir::Operation *op);

// EmitMma.cpp
void emit(KernelEmitter &e, hopper::UninitializedOp op);
void emit(KernelEmitter &e, hopper::FillOp op);
void emit(KernelEmitter &e, hopper::CopyOp op);
void emit(KernelEmitter &e, hopper::WgmmaOp op);
void emit(KernelEmitter &e, hopper::KeepAliveOp op);
void emit(KernelEmitter &e, hopper::MmaSyncOp op);
void emit(KernelEmitter &e, hopper::FenceRegistersOp op);
void emit(KernelEmitter &e, hopper::CommitWgmmaOp op);
void emit(KernelEmitter &e, hopper::WaitWgmmaOp op);

// EmitReductions.cpp
void emit(KernelEmitter &e, hopper::ReduceRowsOp op);
void emit(KernelEmitter &e, hopper::FinishRowsOp op);
void emit(KernelEmitter &e, hopper::AnyLargeOp op);
void emit(KernelEmitter &e, hopper::ReduceColumnsOp op);
/// A call in which the warps that share a tile may meet.
void emitExchange(KernelEmitter &e, hopper::RuntimeCall call, hopper::Exchange exchange);
/// If only the next statement reads the reduction `op`, and the user has no name for it: binds the
/// result to the call, which that statement then contains.
bool emitInPlace(KernelEmitter &e, mlir::Operation *op);

// EmitParts.cpp
void emit(KernelEmitter &e, hopper::SliceOp op);
void emit(KernelEmitter &e, hopper::RuntimeCall call);

// EmitElementwise.cpp
void emit(KernelEmitter &e, hopper::MapOp op);
void emit(KernelEmitter &e, hopper::AnyRowOp op);
/// How the variable of `result`, which has been declared, is spelled where it gets new content.
std::string variableToWrite(KernelEmitter &e, mlir::OpResult result);
/// The left side of the statement that gives `result` its value: "s = ", "const col_vec<float, 64>
/// now = ". Binds the result to its variable.
std::string assign(KernelEmitter &e, mlir::OpResult result);
/// Declares the variable of `value`, without content, unless it has been declared before. Binds the
/// value to it.
void declareEmpty(KernelEmitter &e, mlir::Operation *op, mlir::Value value,
                  llvm::StringRef comment = {});
/// "rt<float, BM / 2, 128>" or "col_vec<float, 64>", the type of `value`, for `op`.
std::string registerType(KernelEmitter &e, mlir::Operation *op, mlir::Value value);

// ExtentNames.cpp
/// Extent `dim` of the user's variable, a type with `rank` extents: "BM" where the source says so,
/// "128".
std::string spellExtent(KernelEmitter &e, llvm::StringRef variable, unsigned rank, unsigned dim,
                        int64_t extent);
/// The rows or columns of a register tile or vector, of which a warpgroup may hold a share: "BM /
/// 2".
std::string spellRows(KernelEmitter &e, mlir::Value value);
std::string spellCols(KernelEmitter &e, mlir::Value value);

} // namespace tkc::backend

#endif // TKC_BACKEND_KERNELEMITTER_H
