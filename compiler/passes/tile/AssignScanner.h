//===- AssignScanner.h - Vectors that warps beside the loads compute ------===//
#ifndef TKC_PASSES_ASSIGNSCANNER_H
#define TKC_PASSES_ASSIGNSCANNER_H

#include "dialect/tk/Scanner.h"

namespace tkc {

/// Marks what scanner warps do of one of the kernel's loops (dialect/tk/Scanner.h), and lets the
/// consumers read the vectors that they need of it from shared memory. Changes nothing where the
/// loop has no running sum of loaded vectors, or the registers do not suffice, if these are
/// checked: not where the caller gives the consumers' work to other roles, too.
enum class ScannerCheck { Registers, None };
void assignScanner(tk::KernelOp kernel, ScannerCheck check = ScannerCheck::Registers);

} // namespace tkc

#endif // TKC_PASSES_ASSIGNSCANNER_H
