//===- HopperMmaOps.td - wgmma, its fences, groups and waits --------------===//
#ifndef HOPPER_MMA_OPS
#define HOPPER_MMA_OPS

include "dialect/hopper/HopperRoleOps.td"

//===----------------------------------------------------------------------===//
// Fragments come to be. Each of these ops is a variable of its own, so equal ones are not merged.
//===----------------------------------------------------------------------===//

def Hopper_RegisterValue : AnyTypeOf<[Hopper_FragmentType, Hopper_VectorType]>;
def Hopper_NewFragment : Res<Hopper_FragmentType, "the fragment", [MemAlloc<Registers>]>;
def Hopper_NewValue : Res<Hopper_RegisterValue, "the fragment or vector", [MemAlloc<Registers>]>;

def Hopper_UninitializedOp : Hopper_Op<"uninitialized", [Statement<"Declaration", ["tile/mma"]>]> {
  let summary = "a fragment whose registers hold nothing yet";
  let description = "The first MMA of a chain overwrites it (`accumulate` false).";
  let results = (outs Hopper_NewFragment:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Hopper_FillOp : Hopper_Op<"fill", [Statement<"Elementwise", ["tile/mma"]>]> {
  let summary = "a fragment or vector whose elements are all one scalar";
  let arguments = (ins AnyType:$value);
  let results = (outs Hopper_NewValue:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `,` qualified(type($result))";
}

def Hopper_CopyOp : Hopper_Op<"copy", [Statement<"Elementwise", ["tile/mma"]>, AllTypesMatch<["source", "result"]>]> {
  let summary = "a new fragment or vector with the elements of another one";
  let description = [{
    tk-legalize-for-emission puts one where two values that are alive at once would share a variable.
  }];
  let arguments = (ins Hopper_RegisterValue:$source);
  let results = (outs Hopper_NewValue:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($result))";
}

def Hopper_WgmmaOp : Hopper_Op<"wgmma", [
    DeclareOpInterfaceMethods<SharedAccess>, Statement<"Mma", ["tile/mma"]>,
    MemoryEffects<[MemRead<SharedMemory>, MemWrite<TensorCores>]>, AllTypesMatch<["acc", "result"]>]> {
  let summary = "the warpgroup starts acc + A B on the tensor cores (wgmma.mma_async), one instruction per 16 of K";
  let description = [{
    Asynchronous: operands are read, and the result may be used, only once a `hopper.wait_wgmma`
    covers the group that the next `hopper.commit_wgmma` closes. Where `accumulate` is false the old
    accumulator is not read.

    With `sums` the accumulator has eight columns more than B, for the sums of A's rows: B is a stage of a
    ring with ones. With `subtracts` it is acc - A B (imm-scale-a is -1).

    Example:
    ```mlir
    %r = hopper.wgmma AB %acc, %a, %b accumulate %p : !hopper.fragment<64x256xf32>, !hopper.shared<64x64xbf16>, !hopper.shared<64x256xbf16>
    ```
  }];
  let arguments = (ins Tk_MmaForm:$form, Hopper_FragmentType:$acc,
                       AnyTypeOf<[Hopper_SharedType, Hopper_FragmentType]>:$a, Hopper_SharedType:$b, I1:$accumulate,
                       UnitAttr:$sums, UnitAttr:$subtracts);
  let results = (outs Hopper_FragmentType:$result);
  let assemblyFormat = [{
    $form $acc `,` $a `,` $b `accumulate` $accumulate attr-dict `:` type($acc) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
}

def Hopper_KeepAliveOp : Hopper_Op<"keep_alive", [Statement<"Fence">, MemoryEffects<[MemWrite<Registers>]>]> {
  let summary = "a fragment's registers are needed up to here, though nothing reads them";
  let description = [{
    tk-keep-operands-alive puts one after a loop whose MMAs read the fragment in every iteration.

    Example: `hopper.keep_alive %q because "ptxas forgets it" : !hopper.fragment<64x128xbf16>`
  }];
  let arguments = (ins Hopper_FragmentType:$fragment, StrAttr:$reason);
  let assemblyFormat = "$fragment `because` $reason attr-dict `:` qualified(type($fragment))";
}

def Hopper_MmaSyncOp : Hopper_Op<"mma_sync", [Statement<"Mma", ["tile/warp_mma"]>, Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + A B^T of each warp's own tiles, all in registers (mma.sync)";
  let description = [{
    Only where every warp has tiles of its own (`each warp`). B comes with its columns as rows: a fragment
    of n rows and k columns, which is what a tile of layout `col` is, and what `mma_ABt` takes.

    Example:
    ```mlir
    %r = hopper.mma_sync %acc, %a, %b : !hopper.fragment<64x64xf32>, !hopper.fragment<64x16xbf16>, !hopper.fragment<256x16xbf16>
    ```
  }];
  let arguments = (ins Hopper_FragmentType:$acc, Hopper_FragmentType:$a, Hopper_FragmentType:$b);
  let results = (outs Hopper_FragmentType:$result);
  let assemblyFormat = "$acc `,` $a `,` $b attr-dict `:` type($acc) `,` type($a) `,` type($b)";
  let hasVerifier = 1;
}

def Hopper_FenceRegistersOp : Hopper_Op<"fence_registers", [Statement<"Fence", ["tile/mma"]>, MemoryEffects<[MemWrite<TensorCores>]>]> {
  let summary = "hands accumulator and operand registers from this thread's code to the tensor cores (wgmma.fence)";
  let description = [{
    `filled` are accumulators of which several registers have got the same value: nvcc, which sees no
    MMA after them, must have written all of them before.

    Examples:
    ```mlir
    hopper.fence_registers because "acc passes from this thread's code to the tensor cores"
    hopper.fence_registers of %acc because "acc passes from this thread's code to the tensor cores" : !hopper.fragment<64x128xf32>
    ```
  }];
  let arguments = (ins Variadic<Hopper_FragmentType>:$filled, StrAttr:$reason);
  let assemblyFormat = [{
    (`of` $filled^)? `because` $reason attr-dict (`:` qualified(type($filled))^)?
  }];
}

def Hopper_CommitWgmmaOp : Hopper_Op<"commit_wgmma", [Statement<"Commit", ["tile/mma"]>, MemoryEffects<[MemWrite<TensorCores>]>]> {
  let summary = "closes a group of MMAs (wgmma.commit_group)";
  let assemblyFormat = "attr-dict";
}

def Hopper_WaitWgmmaOp : Hopper_Op<"wait_wgmma", [Statement<"Wait", ["tile/mma"]>, MemoryEffects<[MemWrite<TensorCores>, MemWrite<SharedMemory>]>]> {
  let summary = "waits until at most `pending` MMA groups of this warpgroup are in flight (wgmma.wait_group)";
  let description = [{
    After it, the accumulators of every older group may be read and its shared operands overwritten.
    `accumulators` are those that this thread's code uses: nvcc, which sees no MMA after them, must
    not read them before.

    Examples:
    ```mlir
    hopper.wait_wgmma 1 because "the MMA before this one has read its stage"
    hopper.wait_wgmma 0 for %s, %o because "s and o are read next" : !hopper.fragment<64x128xf32>, !hopper.fragment<64x64xf32>
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<7>]>:$pending,
                       Variadic<Hopper_FragmentType>:$accumulators, StrAttr:$reason);
  let assemblyFormat = [{
    $pending (`for` $accumulators^)? `because` $reason attr-dict (`:` qualified(type($accumulators))^)?
  }];
}

#endif // HOPPER_MMA_OPS
