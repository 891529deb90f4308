//===- HopperInterfaces.h - Facts that passes and the backend ask of ops --===//
#ifndef TKC_DIALECT_HOPPER_HOPPERINTERFACES_H
#define TKC_DIALECT_HOPPER_HOPPERINTERFACES_H

#include "mlir/IR/OpDefinition.h"

#include <algorithm>
#include <string>

namespace tkc::hopper {

//===----------------------------------------------------------------------===//
// SharedAccess
//===----------------------------------------------------------------------===//

enum class Access { Read, Write };

/// Through which proxy memory is accessed (PTX ISA, "async proxy"): a fence orders one after the
/// other.
enum class Proxy { Generic, Async };

/// The event that ends the access.
enum class Completion {
  AtOnce,     ///< the op itself: threads do it
  Bytes,      ///< the bytes are counted at the op's mbarrier
  Arrival,    ///< an arrival at the op's mbarrier
  StoreGroup, ///< the group of bulk copies that the op closes: wait_stores_read
  MmaGroup    ///< the group of MMAs that the next commit_wgmma closes: wait_wgmma
};

/// The addresses that are accessed at the same time, for the analysis of bank conflicts.
enum class BankPattern {
  Unknown,
  Box,         ///< TMA: whole rows of a swizzle atom
  Matrix,      ///< wgmma: 8 rows of 16 bytes
  Fragment,    ///< a register tile: 8x8 matrices of 16-bit elements, pairs of wider ones
  ColumnValues ///< a warp's values of each column
};

struct SharedUse {
  mlir::Value tile;
  Access access;
  Proxy proxy;
  Completion completion;
  BankPattern pattern = BankPattern::Unknown;

  bool isByThreads() const { return completion == Completion::AtOnce; }
  bool isWrittenByThreads() const { return isByThreads() && access == Access::Write; }
  bool isReadByThreads() const { return isByThreads() && access == Access::Read; }
};

/// The uses of an op that touches shared tiles; none of any other op.
llvm::SmallVector<SharedUse, 2> getSharedUses(mlir::Operation *op);

/// The tile that the op touches and that completes so; null if there is none.
mlir::Value getTileCompletedBy(mlir::Operation *op, Completion completion);

//===----------------------------------------------------------------------===//
// Global memory: ops say by their effects that they access it.
//===----------------------------------------------------------------------===//

/// Whether the op reads, or writes, elements of one of its operands, a tensor or its tensor map.
bool readsTensor(mlir::Operation *op);
bool writesTensor(mlir::Operation *op);

//===----------------------------------------------------------------------===//
// CudaSpelling
//===----------------------------------------------------------------------===//

enum class Place { Line, SetUp, Bookkeeping, Elsewhere };

/// The kind of a statement for a reader of the CUDA.
enum class StatementKind {
  Load,
  Wait,
  Sync,
  Arrive,
  Release,
  Fence,
  Commit,
  Mma,
  Store,
  Shared,
  Reduction,
  Elementwise,
  Loop,
  BarrierInit,
  Scheduler,
  Cursor,
  Declaration,
  Scalar
};

/// Who executes the statement in a role of whole warpgroups.
enum class Executor { Warpgroup, OneThread };

struct Spelling {
  Place place;
  StatementKind kind;
  Executor executor;
  llvm::SmallVector<llvm::StringRef, 2> headers; ///< of the runtime: "tile/move"
};

/// A text as the argument of a template, which is how HopperInterfaces.td gives it to a trait.
template <size_t size> struct TemplateText {
  char characters[size];

  constexpr TemplateText(const char (&text)[size]) { std::copy_n(text, size, characters); }
  constexpr operator llvm::StringRef() const { return {characters, size - 1}; }
};

/// The trait with which Spells<...> of HopperInterfaces.td implements CudaSpelling.
template <Place place, StatementKind kind, Executor executor, TemplateText... headers>
struct Spelled {
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteType,
                                               Spelled<place, kind, executor, headers...>::Impl> {
  public:
    static Spelling getSpelling() { return {place, kind, executor, {llvm::StringRef(headers)...}}; }
  };
};

/// Hopper_InPlace of HopperInterfaces.td.
template <typename ConcreteType>
class InPlace : public mlir::OpTrait::TraitBase<ConcreteType, InPlace> {};

} // namespace tkc::hopper

#include "dialect/hopper/HopperInterfaces.h.inc"

namespace tkc::hopper {

//===----------------------------------------------------------------------===//
// RuntimeCall
//===----------------------------------------------------------------------===//

/// The trait with which Calls<...> of HopperInterfaces.td implements RuntimeCall.
template <TemplateText callee, TemplateText resultName> struct Calls {
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteType, Calls<callee, resultName>::Impl> {
  public:
    static llvm::StringRef getCallee() { return callee; }
    std::string nameResult(llvm::StringRef source) {
      llvm::StringRef name = resultName;
      auto exchange = mlir::dyn_cast<Exchange>(this->getOperation());
      unsigned scratch = exchange && exchange.getScratch() ? 1 : 0;
      bool isOfOne = this->getOperation()->getNumOperands() == 1 + scratch;
      return isOfOne && !source.empty() ? (source + "_" + name).str() : name.str();
    }
  };
};

} // namespace tkc::hopper

#endif // TKC_DIALECT_HOPPER_HOPPERINTERFACES_H
