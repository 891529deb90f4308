//===- HopperBarrierOps.td - mbarriers, named barriers, fences ------------===//
#ifndef HOPPER_BARRIER_OPS
#define HOPPER_BARRIER_OPS

include "dialect/hopper/HopperRoleOps.td"

//===----------------------------------------------------------------------===//
// mbarriers and cursors
//===----------------------------------------------------------------------===//

// A cursor walks as many stages as the barrier has.
def CursorOfBarrier : TypesMatchWith<"cursor and barrier have the same number of stages", "barrier", "cursor",
    "::tkc::hopper::CursorType::get($_self.getContext(), ::llvm::cast<::tkc::hopper::BarrierType>($_self).getStages())">;

def Hopper_AllocBarrierOp : Hopper_Op<"alloc_barrier", [Elsewhere<"Declaration">, MemoryEffects<[MemAlloc<SharedMemory>]>]> {
  let summary = "one mbarrier for each stage of a ring";
  let description = [{
    `arrivals` is the count that completes a phase. `guards` says what the phase means, `arrives` who
    arrives and `waits` who waits; all three are printed in the kernel's barrier table. `offset` is set
    by tk-allocate-shared.

    Example:
    ```mlir
    %full = hopper.alloc_barrier "full" arrivals 1 : !hopper.barrier<4>
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$arrivals, OptionalAttr<StrAttr>:$arrives,
                       OptionalAttr<StrAttr>:$waits, OptionalAttr<StrAttr>:$guards,
                       OptionalAttr<I64Attr>:$offset);
  let results = (outs Hopper_BarrierType:$result);
  let assemblyFormat = "$name `arrivals` $arrivals attr-dict `:` type($result)";
}

def Hopper_InitBarrierOp : Hopper_Op<"init_barrier", [SetUp<"BarrierInit">, MemoryEffects<[MemWrite<Barriers>]>]> {
  let summary = "one thread of the block initialises the mbarriers (mbarrier.init)";
  let arguments = (ins Hopper_BarrierType:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
}

def Hopper_CursorOp : Hopper_Op<"cursor", [Bookkeeping<"Cursor">, MemoryEffects<[MemAlloc<Cursors>]>]> {
  let summary = "a new cursor at stage 0, phase 0";
  let arguments = (ins StrAttr:$name);
  let results = (outs Hopper_CursorType:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def Hopper_AdvanceOp : Hopper_Op<"advance", [Bookkeeping<"Cursor">, MemoryEffects<[MemWrite<Cursors>]>]> {
  let summary = "moves a cursor to the next stage; past the last one it returns to stage 0 and flips the phase";
  let description = [{
    With `by`, over as many stages, at least 0: those that another warpgroup uses.

    Example: `hopper.advance %use by %k_tiles : !hopper.cursor<4>`
  }];
  let arguments = (ins Hopper_CursorType:$cursor, Optional<I32>:$by);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$cursor), [{ build($_builder, $_state, cursor, ::mlir::Value()); }]>,
  ];
  let assemblyFormat = "$cursor (`by` $by^)? attr-dict `:` type($cursor)";
}

def Hopper_CursorStageOp : Hopper_Op<"cursor_stage", [Bookkeeping<"Scalar">, MemoryEffects<[MemRead<Cursors>]>]> {
  let summary = "the number of the stage at which a cursor stands";
  let description = [{
    A cursor that is advanced with every tile counts which warpgroup has it.

    Example: `%parity = hopper.cursor_stage %tile : !hopper.cursor<2>`
  }];
  let arguments = (ins Hopper_CursorType:$cursor);
  let results = (outs I32:$result);
  let assemblyFormat = "$cursor attr-dict `:` type($cursor)";
}

def Hopper_WaitBarrierOp : Hopper_Op<"wait_barrier", [
    BarrierUse, Statement<"Wait">,
    CursorOfBarrier, MemoryEffects<[MemRead<Cursors>, MemWrite<Barriers>]>]> {
  let summary = "waits for a phase of the mbarrier of the cursor's stage (mbarrier.try_wait.parity)";
  let description = [{
    Waits until the phase with the cursor's phase bit has completed; with `previous`, until the phase
    before it has, which a fresh barrier counts as done: a producer waits so for a free stage.

    Example:
    ```mlir
    hopper.wait_barrier %full[%use] because "a and b of this stage have landed" : !hopper.barrier<4>
    hopper.wait_barrier %empty[%fill] previous because "..." : !hopper.barrier<4>
    ```
  }];
  let arguments = (ins Hopper_BarrierType:$barrier, Hopper_CursorType:$cursor, UnitAttr:$previous, StrAttr:$reason);
  let assemblyFormat = [{
    $barrier `[` $cursor `]` (`previous` $previous^)? `because` $reason attr-dict `:` type($barrier)
  }];
}

def Hopper_ExpectBytesOp : Hopper_Op<"expect_bytes", [
    BarrierUse, OneThreadStatement<"Arrive">,
    CursorOfBarrier, MemoryEffects<[MemRead<Cursors>, MemWrite<Barriers>]>]> {
  let summary = "arrives once and adds bytes that TMA will deliver (mbarrier.arrive.expect_tx)";
  let arguments = (ins Hopper_BarrierType:$barrier, Hopper_CursorType:$cursor, I64Attr:$bytes);
  let assemblyFormat = "$barrier `[` $cursor `]` `,` $bytes attr-dict `:` type($barrier)";
}

def Hopper_ArriveOp : Hopper_Op<"arrive", [
    BarrierUse, Statement<"Release">,
    CursorOfBarrier, MemoryEffects<[MemRead<Cursors>, MemWrite<Barriers>]>]> {
  let summary = "one lane of every warp of this warpgroup arrives (mbarrier.arrive)";
  let description = [{
    Says that this warpgroup has read the stage. tk-insert-waits puts before it the wait that makes
    this true. `distance` is how many iterations ago the stage was used: 0 in the iteration that used
    it, 1 when the release is delayed by one so that the newest MMA stays in flight.
  }];
  let arguments = (ins Hopper_BarrierType:$barrier, Hopper_CursorType:$cursor,
                       DefaultValuedAttr<I64Attr, "0">:$distance);
  let assemblyFormat = "$barrier `[` $cursor `]` (`distance` $distance^)? attr-dict `:` type($barrier)";
}

//===----------------------------------------------------------------------===//
// Block and warpgroup synchronisation, fences
//===----------------------------------------------------------------------===//

class Hopper_SyncOp<string mnemonic, TraitList spelling> : Hopper_Op<mnemonic, [
    spelling, MemoryEffects<[MemWrite<Barriers>, MemWrite<SharedMemory>]>]> {
  let arguments = (ins StrAttr:$reason);
  let assemblyFormat = "`because` $reason attr-dict";
}

def Hopper_SyncBlockOp : Hopper_SyncOp<"sync_block", SetUp<"Sync">> {
  let summary = "all threads of the block meet (__syncthreads); not legal inside a role";
}

def Hopper_SyncWarpgroupOp : Hopper_SyncOp<"sync_warpgroup", Statement<"Sync", ["tile/move"]>> {
  let summary = "all 128 threads of this warpgroup meet (bar.sync on the warpgroup's own named barrier)";
  let description = [{
    `barrier_id` is the id of the first consumer's barrier; warpgroup i uses `barrier_id + i`. Id 0
    belongs to `hopper.sync_block`.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$barrier_id, StrAttr:$reason);
}

def Hopper_SyncConsumersOp : Hopper_SyncOp<"sync_consumers", Statement<"Sync", ["tile/move"]>> {
  let summary = "all threads of all consumer warpgroups meet (bar.sync on one named barrier)";
  let description = [{
    For shared memory that several warpgroups write or read. `barrier_id` is the barrier's; ids 1 to 4
    belong to `hopper.sync_warpgroup`, 5 is free for this.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "5">:$barrier_id, StrAttr:$reason);
}

//===----------------------------------------------------------------------===//
// Ping-pong of the consumer warpgroups
//===----------------------------------------------------------------------===//

// Warpgroup i of n acquires at named barrier `barrier_id + i`, to which warpgroup i - 1 comes
// when it releases, and warpgroup n - 1 for the first time warpgroup 0 acquires.
class Hopper_PingPongOp<string mnemonic, TraitList spelling> : Hopper_Op<mnemonic, [
    spelling, MemoryEffects<[MemWrite<Barriers>]>]> {
  let arguments = (ins DefaultValuedAttr<I64Attr, "6">:$barrier_id, StrAttr:$reason);
  let assemblyFormat = "`because` $reason attr-dict";
}

def Hopper_PingPongBeginOp : Hopper_PingPongOp<"pingpong_begin", SetUp<"Arrive">> {
  let summary = "the last consumer warpgroup lets the first one begin (bar.arrive)";
}

def Hopper_PingPongAcquireOp : Hopper_PingPongOp<"pingpong_acquire", Statement<"Sync">> {
  let summary = "this consumer warpgroup waits until the one before it has released it (bar.sync)";
  let description = [{
    Between `pingpong_acquire` and `pingpong_release` a warpgroup starts its MMAs; meanwhile the others do their
    elementwise work. Every consumer warpgroup must acquire and release as often as the others.

    Example:
    ```mlir
    hopper.pingpong_acquire because "the warpgroup before this one has started its MMAs"
    hopper.wgmma ...
    hopper.commit_wgmma
    hopper.pingpong_release because "..."
    ```
  }];
}

def Hopper_PingPongReleaseOp : Hopper_PingPongOp<"pingpong_release", Statement<"Release">> {
  let summary = "the next consumer warpgroup may start its MMAs (bar.arrive)";
}

def Hopper_PingPongEndOp : Hopper_PingPongOp<"pingpong_end", SetUp<"Sync">> {
  let summary = "the first consumer warpgroup acquires what the last one has released (bar.sync)";
}

//===----------------------------------------------------------------------===//
// Tiles that one consumer warpgroup hands to another
//===----------------------------------------------------------------------===//

def Hopper_SignalWarpgroupOp : Hopper_Op<"signal_warpgroup", [
    Statement<"Release", ["tile/move"]>, MemoryEffects<[MemWrite<Barriers>, MemWrite<SharedMemory>]>]> {
  let summary = "this warpgroup tells another one that it has written or read shared tiles (bar.arrive)";
  let description = [{
    Consumer `from` executes it, and consumer `to` a `hopper.await_warpgroup` with the same barrier, equally often.
    `read` are rings whose tiles MMAs of this warpgroup have read by then: tk-insert-waits waits for those. `means` is
    for the kernel's barrier table.

    Example: `hopper.signal_warpgroup 10 from 0 to 1 "p is written" because "the other consumer may read p"`
  }];
  let arguments = (ins Variadic<Hopper_RingType>:$read, I64Attr:$barrier_id, I64Attr:$from, I64Attr:$to,
                       StrAttr:$means, StrAttr:$reason);
  let assemblyFormat = [{
    $barrier_id `from` $from `to` $to $means (`read` $read^ `:` qualified(type($read)))? `because` $reason attr-dict
  }];
}

def Hopper_AwaitWarpgroupOp : Hopper_Op<"await_warpgroup", [
    Statement<"Sync", ["tile/move"]>, MemoryEffects<[MemWrite<Barriers>, MemWrite<SharedMemory>]>]> {
  let summary = "this warpgroup waits for a signal of another one (bar.sync)";
  let description = "Example: `hopper.await_warpgroup 10 from 0 to 1 because \"the other consumer has written p\"`";
  let arguments = (ins I64Attr:$barrier_id, I64Attr:$from, I64Attr:$to, StrAttr:$reason);
  let assemblyFormat = "$barrier_id `from` $from `to` $to `because` $reason attr-dict";
}

def Hopper_FenceBarrierInitOp : Hopper_SyncOp<"fence_barrier_init", SetUp<"Fence">> {
  let summary = "makes initialised mbarriers visible to the async proxy (fence.mbarrier_init)";
}

def Hopper_FenceAsyncProxyOp : Hopper_SyncOp<"fence_async_proxy", Statement<"Fence", ["tile/move"]>> {
  let summary = "orders this thread's shared-memory accesses before later ones of TMA and wgmma (fence.proxy.async.shared::cta)";
  let description = [{
    TMA and wgmma see what this thread has written, and TMA does not overwrite what it is still reading, once they
    learn, through a barrier, that the thread has passed here.
  }];
}

#endif // HOPPER_BARRIER_OPS
