//===- MoveIntoEach.cpp - A grid's body as the program of each worker -----===//
#include "passes/tile/MoveIntoEach.h"

#include "dialect/tk/SourceNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tkc;
using namespace tkc::tk;

/// Only the first worker writes to tensors.
static void guard(Operation *store, Value isFirst) {
  OpBuilder builder(store);
  auto branch = builder.create<scf::IfOp>(store->getLoc(), isFirst, /*withElseRegion=*/false);
  store->moveBefore(branch.thenYield());
}

EachOp tkc::moveIntoEach(GridOp grid, EachWorker worker, int64_t count, bool alone) {
  Block &body = grid.getBody().front();
  OpBuilder builder(grid.getContext());
  const Location loc = getUnnamedLoc(grid.getLoc());
  OwningOpRef<EachOp> each = builder.create<EachOp>(loc, worker, count, alone);
  Block &own = each->getBody().emplaceBlock();
  BlockArgument number = own.addArgument(builder.getI32Type(), loc);
  own.getOperations().splice(own.end(), body.getOperations());

  SmallVector<Operation *> stores;
  own.walk([&](Operation *op) {
    if (isa<StoreOp, ScatterOp>(op))
      stores.push_back(op);
  });
  builder.setInsertionPointToStart(&own);
  Value one = builder.create<arith::ConstantIntOp>(loc, 1, 32);
  Value isFirst = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, number, one);
  for (Operation *store : stores)
    guard(store, isFirst);
  EachOp moved = each.get();
  body.push_back(each.release());
  return moved;
}
