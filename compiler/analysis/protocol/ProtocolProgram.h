//===- ProtocolProgram.h - A role as steps that matter to others ----------===//
//
// Roles influence each other through barriers and shared memory alone. So a role
// is compiled to the steps that touch these, and the loops and branches around
// them; code that only computes is left out, and with it every branch on values
// that only registers know.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOLPROGRAM_H
#define TKC_ANALYSIS_PROTOCOLPROGRAM_H

#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace tkc::protocol {

enum class StepKind {
  NewCursor,
  Advance,
  ReadCursor,
  TakeStage, ///< hopper.stage: the tile at the cursor's stage now
  TakeSlot,
  TakeRows,
  TakeColumns,
  Wait, ///< for a phase of an mbarrier
  Expect,
  Arrive,
  Load,
  Read,
  Write,
  Mma,
  CommitWgmma,
  WaitWgmma,
  Store,
  WaitStores,
  Meet,   ///< at a named barrier
  Signal, ///< comes to a named barrier, but does not wait there
  Fence,
  TileLoop,
  TileLoopEnd,
  Loop,
  LoopEnd,
  Branch, ///< to `target` if the condition is false
  Jump,
  SetResults, ///< of an scf.if, from a yield
  End,
};

struct Step {
  StepKind kind = StepKind::End;
  mlir::Operation *op = nullptr;
  unsigned barrier = 0, cursor = 0;     ///< numbers of the kernel's barriers, the role's cursors
  mlir::SmallVector<unsigned, 2> tiles; ///< numbers of the role's tiles that are used or made
  int64_t count = 0;                    ///< bytes, pending groups, threads of a meeting
  unsigned id = 0;                      ///< of a named barrier
  bool isPrevious = false;              ///< of a wait: for the phase before the cursor's
  /// All warpgroups of the role do this together: at one named barrier, or to different bytes of a
  /// tile.
  bool isShared = false;
  unsigned target = 0; ///< step after a loop or branch
};

/// Some stages of mbarriers with one meaning: of a hopper.alloc_barrier, or those of the
/// hopper.tile_scheduler that say that a slot is full or empty.
struct Barrier {
  mlir::Operation *op;
  std::string name;
  int64_t stages, arrivals;
  unsigned firstStage; ///< among all barriers' stages
};

/// The numbers of barriers, which the steps of all roles share.
struct BarrierNumbers {
  explicit BarrierNumbers(hopper::KernelOp kernel);

  const Barrier &operator[](unsigned barrier) const { return barriers[barrier]; }
  auto begin() const { return barriers.begin(); }
  auto end() const { return barriers.end(); }

  mlir::SmallVector<Barrier, 0> barriers;
  unsigned stages = 0;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  unsigned schedulerFull = 0, schedulerEmpty = 0; ///< if there is a scheduler

private:
  unsigned add(mlir::Operation *op, std::string name, int64_t stages, int64_t arrivals);
};

struct RoleProgram {
  hopper::RoleOp role;
  mlir::SmallVector<Step, 0> steps;
  unsigned cursors = 0, tiles = 0;
  /// An op whose part in the protocol is not known here; null if there is none.
  mlir::Operation *unknown = nullptr;
};

RoleProgram compileRole(hopper::RoleOp role, const BarrierNumbers &barriers);

} // namespace tkc::protocol

#endif // TKC_ANALYSIS_PROTOCOLPROGRAM_H
