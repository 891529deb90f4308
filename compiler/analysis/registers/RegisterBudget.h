//===- RegisterBudget.h - How registers are split between the roles -------===//
//
// A block's threads start with equal shares of the register file (the entry
// count, chosen by ptxas from the launch bounds) and setmaxnreg moves registers
// from the producer to the consumers. The splits that divide without remainder,
// run, and do not over-subscribe the pool are few; this is their table.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_REGISTERBUDGET_H
#define TKC_ANALYSIS_REGISTERBUDGET_H

#include "analysis/registers/TileRegisters.h"
#include "dialect/hopper/Hopper.h"
#include "target/HopperModel.h"

namespace tkc {

inline constexpr int64_t maxConsumers = 4;

using RegisterSplit = hopper::RegisterSplit;

/// The splits for this many consumers, the one with the richest producer first.
llvm::ArrayRef<RegisterSplit> getRegisterSplits(int64_t consumers);

/// The splits where an SM runs several such blocks at once; none if a block has too few registers.
llvm::SmallVector<RegisterSplit> getRegisterSplits(int64_t consumers, int64_t blocksPerSm);

/// The most registers that a consumer's thread can have; 0 if there is no such split.
int64_t getMaxRegisters(int64_t consumers);

/// The most registers per thread of which tiles may use what the compiler's own choices leave them;
/// 0 if there is no such split.
int64_t getMaxTileRegisters(int64_t consumers);

/// The same of this consumer, whose registers the user may have said.
int64_t getMaxTileRegisters(hopper::RoleOp consumer);

/// Registers of a consumer for tiles, beside which some are left: of `given` ones, those that the
/// user says, or, if that is 0, of the most.
int64_t getTileRegisters(int64_t consumers, int64_t given, int64_t beside);

/// Registers of the producer's warpgroup where some of its warps compute vectors
/// (dialect/tk/Scanner.h). Measured with ptxas 13.0: a softplus, a running sum and logarithms spill
/// with fewer.
inline constexpr int64_t scannerRegisters = 40;

/// The most registers for tiles of a consumer beside scanner warps; 0 if there is no such split.
int64_t getMaxTileRegistersBesideScanner(int64_t consumers);

/// How the tiles that are alive at once fit the registers of a consumer.
enum class RegisterFit {
  None,  ///< the kernel is refused
  Tight, ///< it may spill, and is warned of
  Roomy, ///< as the compiler's own choices leave it
};

/// The best fit of a number of consumers, or of the one that the kernel asks for, that divides all
/// heights.
RegisterFit getRegisterFit(tk::KernelOp kernel);

/// The best number of consumers (analysis/cost/WarpgroupOrder.h) that divides all heights and has
/// enough registers, if the kernel asks for none itself.
std::optional<int64_t> chooseConsumers(tk::KernelOp kernel);

/// The widest wgmma that finds its accumulator among the entry registers.
int64_t getMaxInstructionWidth(int64_t consumers, int64_t blocksPerSm = 1);

/// The width of one wgmma of an MMA.
int64_t getInstructionWidth(tk::MmaOp mma);
int64_t getInstructionWidth(hopper::WgmmaOp wgmma);

/// One note per live tile: "'acc' holds 128 from here to line 35".
void noteLiveTiles(mlir::InFlightDiagnostic &diagnostic, const TilePressure &peak,
                   int64_t warpgroups);

/// Where several blocks share the SM, the note that they do.
void noteBlocksPerSm(mlir::InFlightDiagnostic &diagnostic, mlir::Operation *kernel, int64_t blocks);

/// The note with the fix: the number of columns that would fit.
void noteFix(mlir::InFlightDiagnostic &diagnostic, const TilePressure &peak, int64_t warpgroups,
             int64_t available);

} // namespace tkc

#endif // TKC_ANALYSIS_REGISTERBUDGET_H
