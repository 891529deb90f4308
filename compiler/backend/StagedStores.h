//===- StagedStores.h - Stores that a role makes in the same way ----------===//
//
// A store through a staging buffer is seven statements: the buffer is waited for
// and written, then TMA copies it. An epilogue that is unrolled, or written
// once in the loop over tiles and once after it, has many copies of such a store, which
// differ only in the buffer, the part of a tile and the place in the tensor. These are
// parameters of one function; a store is a call.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_BACKEND_STAGEDSTORES_H
#define TKC_BACKEND_STAGEDSTORES_H

#include "dialect/hopper/HopperTileOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tkc::backend {

/// The statements of one store, in order.
struct StagedStore {
  hopper::WaitStoresReadOp wait;
  hopper::SyncWarpgroupOp freed;
  hopper::StoreFragmentOp write;
  hopper::FenceAsyncProxyOp fence;
  hopper::SyncWarpgroupOp written;
  hopper::TmaStoreOp copy;
  hopper::StoreTailColumnsOp tail; // null where rows of the tensor are whole 16 bytes

  mlir::Operation *getLast() { return tail ? tail.getOperation() : copy.getOperation(); }

  /// Whether both are copies of one statement of the source, with the same text but for the buffer,
  /// the registers and the place.
  bool isLike(StagedStore &other);
};

/// Stores of a role that have copies.
class StagedStores {
public:
  StagedStores() = default;
  explicit StagedStores(hopper::RoleOp role);

  /// The first of each group of copies.
  llvm::MutableArrayRef<StagedStore> getFunctions() { return functions; }

  /// The store that begins with `op`, if it has copies, and the index of its function.
  std::optional<std::pair<StagedStore, unsigned>> lookup(mlir::Operation *op) const;

  /// Whether only calls use this buffer, which contain it.
  bool isArgument(hopper::SlotOp buffer) const;

private:
  llvm::SmallVector<StagedStore> functions;
  llvm::DenseMap<mlir::Operation *, std::pair<StagedStore, unsigned>> calls;
  llvm::DenseSet<mlir::Operation *> inCalls;
};

} // namespace tkc::backend

#endif // TKC_BACKEND_STAGEDSTORES_H
