//===- WarpgroupOrder.h - How many warpgroups should share a tile ----------===//
#ifndef TKC_ANALYSIS_COST_WARPGROUPORDER_H
#define TKC_ANALYSIS_COST_WARPGROUPORDER_H

#include "dialect/tk/Tk.h"

namespace tkc {

/// The numbers of compute warpgroups that may share a kernel's tiles, the one that the cost model
/// predicts to be the fastest first.
llvm::SmallVector<int64_t, 4> getPreferredConsumers(tk::KernelOp kernel);

} // namespace tkc

#endif // TKC_ANALYSIS_COST_WARPGROUPORDER_H
