//===- RoleSplit.h - Registers of blocks with a reducer -------------------===//
//
// With a warpgroup more than producer and consumers, the split is a small system: all roles
// together have what the block's threads start with, the producer needs the least that setmaxnreg
// gives, the reducer its accumulator and the values beside it, and the consumers share the rest.
//
// Where that is too little for the consumers' tiles, the reducer loads, too: the block has a
// warpgroup less, so that its threads start with more. Three consumers of 64 rows start with 128
// instead of 96.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_ROLESPLIT_H
#define TKC_ANALYSIS_ROLESPLIT_H

#include "analysis/registers/TileRegisters.h"
#include "dialect/hopper/Hopper.h"

namespace tkc {

/// Registers of each thread of a role.
struct RoleSplit {
  int64_t entry = 0; ///< what every thread starts with; 0 if there is no such block
  int64_t producer = 0, consumer = 0, reducer = 0;
};

/// The split for some consumers and a reducer whose tiles take `tiles` registers, with a producer
/// beside them or with a reducer that loads.
RoleSplit splitWithReducer(int64_t consumers, int64_t tiles, bool reducerLoads);

/// The split for one consumer that carries a loop's tiles beside several reducers that compute what
/// leaves its iterations (AssignRecurrence.cpp): the consumer has what its tiles need, the reducers
/// the rest.
RoleSplit splitWithOutputs(int64_t carried, int64_t outputs, int64_t reducers, bool hasScanner);
RoleSplit splitWithOutputs(tk::KernelOp kernel);

/// True if a block with so many consumers has a reducer that loads: a producer would leave the
/// consumers too few registers, and all loads stand in the reducer's loop or before it.
bool doesReducerLoad(tk::KernelOp kernel, int64_t consumers);

/// The registers of the largest accumulator of a kernel's reducer; 0 if it has none.
int64_t getReducerTiles(tk::KernelOp kernel);
int64_t getReducerTiles(hopper::RoleOp reducer);

/// The most registers for tiles of a consumer of the kernel; 0 if there is no such block.
int64_t getMaxTileRegisters(tk::KernelOp kernel, int64_t consumers);

/// The registers for such tiles with more of which a kernel is refused.
int64_t getTileRegisterLimit(tk::KernelOp kernel, int64_t consumers);

/// The registers that are needed for tiles where most are. Beside a reducer, vectors
/// across the columns do not count: their elements are read from shared memory as they are used.
int64_t getTilesAtPeak(const TileRegisters &tiles, bool hasReducer);

/// The same of a role beside such reducers, or of these, which hold nothing of what loops carry.
/// Tiles that are only written to shared memory do not count either: ptxas computes them as they
/// are written.
int64_t getTilesOfPart(const TileRegisters &tiles, bool withCarried);

/// Registers of a consumer beside a reducer besides its tiles: measured, less is serialised
/// (C7512).
inline constexpr int64_t registersBesideReducersTiles = 24;

} // namespace tkc

#endif // TKC_ANALYSIS_ROLESPLIT_H
