//===- FragmentVariables.cpp - Which fragments are one variable -----------===//
#include "analysis/FragmentVariables.h"

#include "analysis/TileNames.h"
#include "dialect/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;

FragmentVariables::FragmentVariables(Operation *root) {
  root->walk([&](Operation *op) {
    for (Value result : op->getResults())
      join(result, getPredecessor(result));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (auto [argument, yielded] :
           llvm::zip(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands())) {
        join(argument, getPredecessor(argument));
        join(argument, yielded);
      }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region &region : branch->getRegions())
        if (!region.empty())
          for (auto [yielded, result] :
               llvm::zip(region.front().getTerminator()->getOperands(), branch.getResults()))
            join(yielded, result);
  });
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<hopper::FragmentType>(result.getType()))
        numbers.try_emplace(leader(result), numbers.size() + 1);
  });
}

void *FragmentVariables::leader(Value value) const {
  auto found = classes.findLeader(value.getAsOpaquePointer());
  return found == classes.member_end() ? value.getAsOpaquePointer() : *found;
}

void FragmentVariables::join(Value a, Value b) {
  if (a && b && isa<hopper::FragmentType>(a.getType()) && isa<hopper::FragmentType>(b.getType()) &&
      !a.getDefiningOp<hopper::CopyOp>())
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
}
