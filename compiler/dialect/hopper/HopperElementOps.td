//===- HopperElementOps.td - Single elements through shared memory --------===//
#ifndef HOPPER_ELEMENT_OPS
#define HOPPER_ELEMENT_OPS

include "dialect/hopper/HopperCopyOps.td"

def Hopper_CopyElementOp : Hopper_Op<"copy_element", [
    DeclareOpInterfaceMethods<SharedAccess>, BarrierUse, OneThreadStatement<"Load", ["host/global", "tile/element", "tile/global"]>,
    CursorOfBarrier,
    MemoryEffects<[MemRead<HopperGlobalMemory>, MemWrite<SharedMemory>, MemWrite<Barriers>, MemRead<Cursors>]>]> {
  let summary = "one thread copies an element of a tensor to shared memory; once it is there, that is one arrival";
  let description = [{
    For what TMA cannot bring: an element of 4 bytes at any place of the tensor, zero outside of it. It becomes the
    first of `dest`, a vector of one row. Nobody waits for it but those who wait for the barrier (cp.async,
    cp.async.mbarrier.arrive.noinc).

    Example:
    ```mlir
    hopper.copy_element %S[%n, %k] to %t signals %full[%fill] : !tk.global<?x?xf32>, !hopper.shared<1x32xf32>, !hopper.barrier<4>
    ```
  }];
  let arguments = (ins Tk_GlobalType:$source, Variadic<I32>:$indices, Hopper_SharedType:$dest,
                       Hopper_BarrierType:$barrier, Hopper_CursorType:$cursor);
  let assemblyFormat = [{
    $source `[` $indices `]` `to` $dest `signals` $barrier `[` $cursor `]` attr-dict
      `:` type($source) `,` type($dest) `,` type($barrier)
  }];
  let hasVerifier = 1;
}

def Hopper_LoadElementOp : Hopper_Op<"load_element", [DeclareOpInterfaceMethods<SharedAccess>, Statement<"Shared">, MemoryEffects<[MemRead<SharedMemory>]>]> {
  let summary = "each thread reads the first element of a vector in shared memory";
  let description = "Example: `%x = hopper.load_element %t : !hopper.shared<1x32xf32> -> f32`";
  let arguments = (ins Hopper_SharedType:$source);
  let results = (outs AnyTypeOf<[I32, F32]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // HOPPER_ELEMENT_OPS
