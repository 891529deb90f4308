//===- KernelFacts.h - Facts for several parts of a kernel's text ---------===//
//
// The plan, the kernel, its launcher and its header speak of the same things:
// tensors, extents, tensor maps, rings, roles. This collects them once, in the
// order in which they are printed and under the names they are printed with.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_KERNELFACTS_H
#define TKC_BACKEND_KERNELFACTS_H

#include "backend/Expressions.h"
#include "backend/Interface.h"
#include "backend/NamedBarriers.h"
#include "llvm/ADT/DenseMap.h"

namespace tkc::backend {

/// An extent that is known at launch; the kernel gets it as a parameter.
struct ExtentFacts {
  unsigned argument;
  int64_t dim;
  std::string name;
  llvm::SmallVector<mlir::Value> values;
};

struct TensorMapFacts {
  hopper::TensorMapOp op;
  unsigned argument;
  std::string name;
};

/// A ring of tiles or of barriers, or the scheduler: its variable and the constant of the plan that
/// holds its offset.
struct SharedFacts {
  mlir::Operation *op; // alloc_ring, alloc_barrier or tile_scheduler
  std::string name, offset;

  /// The ring or barrier; null for a tile scheduler.
  mlir::Value getValue() const { return op->getNumResults() ? op->getResult(0) : mlir::Value(); }
};

/// A tensor that threads reach by themselves; the kernel gets a view of it.
struct GlobalFacts {
  unsigned argument;
  std::string type; // "gl<float, 3>"
};

struct RoleFacts {
  hopper::RoleOp op;
  int64_t first, end; // its warpgroups in the block
  int64_t stream;     // its first thread that writes records for --profile

  int64_t getStreams() const;
};

/// The names that --profile adds to a kernel.
struct ProfileFacts {
  int64_t kernel = 0;           // its number in the file
  int64_t streams = 0;          // of a block
  std::string buffer, variable; // the kernel's parameter, and a role's stream
};

/// A number of stages with a name in the plan. Whatever is walked by the same cursors shares it.
struct StagesFacts {
  std::string name;
  int64_t count;
};

/// The bytes that TMA brings into one stage, if all loads that complete on the barrier bring as
/// many.
struct TransactionFacts {
  mlir::Value barrier;
  std::string name; // "stage_bytes"
  int64_t bytes;
};

struct KernelFacts {
  hopper::KernelOp op;
  std::string kernelName, planName, registeredName; // "gemm_kernel", "gemm_plan", ...
  Interface interface;
  llvm::SmallVector<Parameter> parameters; // of the template
  llvm::SmallVector<ExtentFacts> extents;
  llvm::SmallVector<TensorMapFacts> maps;
  llvm::SmallVector<GlobalFacts> globals;
  llvm::SmallVector<SharedFacts> shared;
  llvm::SmallVector<NamedBarrierFacts> namedBarriers;
  llvm::SmallVector<TransactionFacts> transactions;
  llvm::SmallVector<RoleFacts> roles;
  llvm::SmallVector<StagesFacts> stages;
  hopper::TileLoopOp tileLoop;       // of one role; they all walk the same grid
  hopper::TileSchedulerOp scheduler; // or null
  std::string schedulerName, counterName;
  std::optional<ProfileFacts> profile;

  /// Of a ring, barrier or cursor: "stages", or the number if it has no name.
  std::string stagesOf(mlir::Value value) const;

  /// The constant of the plan for the named barrier `id`, or the number if it has no name.
  std::string namedBarrier(int64_t id) const;

  /// The constant of the plan for the bytes that a stage of `barrier` expects, or the number.
  std::string transactionOf(mlir::Value barrier, int64_t bytes) const;

  /// Takes names for the kernel and for its declarations; `fileNames` holds the other kernels'
  /// names, `kernelNames` is left with those that the kernel's own variables must avoid.
  static KernelFacts collect(hopper::KernelOp kernel, Names &fileNames, Names &kernelNames);

  llvm::DenseMap<mlir::Value, unsigned> stagesIndex; // into `stages`
};

/// Whether the stages of a ring are vectors: tiles of one row.
inline bool holdsVectors(hopper::RingType ring) { return ring.getRows() == 1; }

/// The runtime's type of a tensor map: one that is stored to holds more.
inline llvm::StringRef mapTypeName(bool isOutput) {
  return isOutput ? "output_map" : "CUtensorMap";
}

/// Whether a block computes one tile of the grid after another, not just one.
inline bool isPersistent(hopper::KernelOp kernel) {
  return !kernel.getPersistent() || *kernel.getPersistent();
}

/// The kernel's argument after the operand of a TMA op: a tensor map or the tensor itself.
mlir::BlockArgument tensorBehind(mlir::Value source);

} // namespace tkc::backend

#endif // TKC_BACKEND_KERNELFACTS_H
