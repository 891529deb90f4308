//===- Protocol.h - Can a kernel hang, or its roles race? -----------------===//
//
// Explores how the roles of a finished kernel talk to each other: mbarriers with
// their arrivals, bytes and phases, named barriers, TMA loads and stores, the
// block's registers. For every loop whose count is known only at launch: 0, 1,
// stages - 1, stages, stages + 1 and 2 * stages + 1 iterations; for every branch:
// never taken, always, or every other time; for one to three tiles of the grid, or the one of a
// block that is not persistent.
//
// One order of events is enough for each choice. Every step that waits, waits for
// one event that, once it has happened, stays: a phase of an mbarrier, a meeting,
// a group of the agent's own. (A phase bit could mean two phases; that it never
// does is checked, see ProtocolBarriers.h.) So letting an agent go on never takes
// from another what it needs, all orders reach the same end, and if one does not
// get stuck none does. Whether two accesses of shared memory are ordered is asked
// of vector clocks, which join only where agents synchronise, and so do not
// depend on the order either.
//
// Not modelled: accesses of registers and what happens inside a role between
// two steps (analysis/hazards/Hazards.h), global memory, and counts of iterations other
// than those above; a ring's behaviour repeats after two rounds of its stages.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_ANALYSIS_PROTOCOL_H
#define TKC_ANALYSIS_PROTOCOL_H

#include "dialect/hopper/Hopper.h"
#include <optional>
#include <string>

namespace tkc {

struct ProtocolNote {
  mlir::Operation *op = nullptr;
  std::string text;
};

/// A fault, and the steps that lead there.
struct ProtocolViolation {
  mlir::Operation *op;
  std::string message;
  mlir::SmallVector<ProtocolNote, 0> notes;
};

/// How much was explored.
struct ProtocolStatistics {
  int64_t runs = 0, steps = 0;
};

/// The first violation of the kernel's protocol, if there is one. The kernel must have passed
/// tk-allocate-registers.
std::optional<ProtocolViolation> findProtocolViolation(hopper::KernelOp kernel,
                                                       ProtocolStatistics *statistics = nullptr);

} // namespace tkc

#endif // TKC_ANALYSIS_PROTOCOL_H
