//===- HopperRoleOps.td - Kernels, roles, the persistent tile loop --------===//
#ifndef HOPPER_ROLE_OPS
#define HOPPER_ROLE_OPS

include "dialect/hopper/HopperInterfaces.td"
include "dialect/hopper/HopperTypes.td"
include "dialect/tk/TkTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Hopper_Op<string mnemonic, list<Trait> traits = []> : Op<Hopper_Dialect, mnemonic, traits>;

// Resources that order an op against others; an op with an effect on these is never moved or removed.
def SharedMemory : Resource<"::tkc::hopper::SharedMemory">;
def Barriers : Resource<"::tkc::hopper::Barriers">;
def Cursors : Resource<"::tkc::hopper::Cursors">;
def Registers : Resource<"::tkc::hopper::Registers">;
def TensorCores : Resource<"::tkc::hopper::TensorCores">;
def HopperGlobalMemory : Resource<"::tkc::tk::GlobalMemory">;

def Hopper_EqualExtentsArray : TypedArrayAttrBase<Hopper_EqualExtentAttr, "array of equal extents">;

def Hopper_KernelOp : Hopper_Op<"kernel", [
    IsolatedFromAbove, FunctionOpInterface, Symbol, SingleBlock, NoTerminator, AffineScope]> {
  let summary = "one kernel of the emitted CUDA and its launcher";
  let description = [{
    Arguments are those of the `tk.kernel`. The body holds, in this order: scalar code, allocations
    (`alloc_ring`, `alloc_barrier`, `tensor_map`), block set-up, then one `hopper.role` per role.
    `threads` and `shared_bytes` are 0 until tk-allocate-registers and tk-allocate-shared set them.
    `equal_extents` lists pairs of tensor dimensions that the program walks with the same index; the
    launcher refuses tensors that disagree. `persistent`, `order`, `cluster` and `pdl` are the hints of
    `tk.kernel`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$parameters,
                       DefaultValuedAttr<I64Attr, "0">:$threads,
                       DefaultValuedAttr<I64Attr, "0">:$shared_bytes,
                       OptionalAttr<Hopper_EqualExtentsArray>:$equal_extents,
                       OptionalAttr<BoolAttr>:$persistent,
                       OptionalAttr<StrAttr>:$order,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       OptionalAttr<BoolAttr>:$pdl,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type, "::mlir::StringAttr":$parameters,
                   "::mlir::ArrayAttr":$equalExtents, "::mlir::ArrayAttr":$argAttrs)>,
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The user's name of argument `index`.
    ::llvm::StringRef getArgumentName(unsigned index);

    // FunctionOpInterface.
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Hopper_RoleOp : Hopper_Op<"role", [SingleBlock, NoTerminator]> {
  let summary = "what some warpgroups of the block do until the kernel ends";
  let description = [{
    `registers` is what each of their threads owns after setmaxnreg; 0 until tk-allocate-registers.
    A producer has no body argument and runs on one elected thread. A consumer's body argument (`i32`)
    is the warpgroup's index among the consumers; with `each warp` it is the warp's, so that a warpgroup's
    four warps have four numbers. A reducer is one warpgroup that multiplies tiles which the consumers hand over
    in a ring, and adds the results to global memory; its body argument is the number of consumers, so that named barriers
    and staging buffers that are counted by warpgroup are its own. A scanner is `warps` warps of the producer's
    warpgroup, after the one that loads: they compute vectors in a layout of `lanes` and hand them to the consumers in
    rings; its body argument is the warp's index among them. Roles take the block's warpgroups in order: the
    producer is warpgroup 0, the consumers follow, the reducer is last. A kernel that loads nothing has no producer; its only
    role keeps `registers` 0, which means no setmaxnreg.

    Without `each`, all warpgroups of the role share a tile by rows, and a fragment is one warpgroup's part.
    Where they ping-pong over tiles of the grid, or with `each warpgroup`, every fragment is a whole tile of its warpgroup. With `each warp`, every fragment
    of 4 n rows stands for one tile of n rows in each of the warpgroup's four warps, and coordinates, shared
    tiles that it is read from or written to, reductions of columns and transposes are those of the warp's
    own tile.

    Example:
    ```mlir
    hopper.role consumer warpgroups 2 registers 232 {
    ^bb0(%consumer: i32):
    }
    ```
  }];
  let arguments = (ins Hopper_RoleKind:$kind, I64Attr:$warpgroups, DefaultValuedAttr<I64Attr, "0">:$registers,
                       OptionalAttr<Tk_EachWorker>:$each, DefaultValuedAttr<I64Attr, "0">:$warps);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    OpBuilder<(ins "RoleKind":$kind, "int64_t":$warpgroups, "int64_t":$registers),
              [{ build($_builder, $_state, kind, warpgroups, registers, ::tkc::tk::EachWorkerAttr(), /*warps=*/0); }]>,
  ];
  let assemblyFormat = [{
    $kind `warpgroups` $warpgroups (`warps` $warps^)? (`registers` $registers^)? (`each` $each^)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// True if its warpgroups ping-pong over tiles of the grid: they count them with a cursor.
    bool hasPingPongTiles();
  }];
  let hasVerifier = 1;
}

def Hopper_WarpgroupIndexOp : Hopper_Op<"warpgroup_index", [Bookkeeping<"Scalar">, MemoryEffects<[MemWrite<Registers>]>]> {
  let summary = "reads the index of the role's warpgroup once more";
  let description = [{
    The same number as the role's body argument, which nvcc does not know: it computes what follows from it here,
    instead of keeping it in registers. tk-read-index-again puts one before an epilogue.

    Example: `%consumer = hopper.warpgroup_index because "the mainloop needs all registers"`
  }];
  let arguments = (ins StrAttr:$reason);
  let results = (outs I32:$index);
  let assemblyFormat = "`because` $reason attr-dict";
}

def Hopper_TileLoopOp : Hopper_Op<"tile_loop", [Statement<"Loop">, SingleBlock, NoTerminator]> {
  let summary = "the persistent loop: this block's share of the grid's tiles, one after another";
  let description = [{
    Every role of a block visits the same tiles in the same order. Extents, `swizzle` and the body's
    arguments are those of `tk.grid`. A `dynamic` loop takes its tiles from the kernel's `hopper.tile_scheduler`:
    the producer takes them, the consumers follow.

    Example:
    ```mlir
    hopper.tile_loop (%m, %n) in (%m_tiles, %n_tiles) swizzle 8 {
    }
    ```
  }];
  let arguments = (ins Variadic<I32>:$extents, DefaultValuedAttr<I64Attr, "0">:$swizzle, UnitAttr:$dynamic);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block::BlockArgListType getIndices() { return getBody().getArguments(); }
  }];
}

def Hopper_TileSchedulerOp : Hopper_Op<"tile_scheduler", [SetUp<"Scheduler", ["host/tile_counter", "tile/scheduler"]>, MemoryEffects<[MemAlloc<SharedMemory>]>]> {
  let summary = "dynamic tile scheduler: the block takes tiles from an atomic counter in LPT order (longest processing time first), instead of having a share";
  let description = [{
    Whoever is free takes the next tile (runtime/hopper/tile/scheduler.h). `readers` warps follow the producer.
    Of the grid's head-batch groups (all dimensions but the first), `head_group` are worked on at the same time, or all;
    with a constant 1 the first dimension is the fastest, the grid's own order.
    With `last_first` the tiles at the end of the first dimension are the longest. A kernel has one scheduler at
    most. `offset` is set by tk-allocate-shared.

    Example: `hopper.tile_scheduler readers 8 head_group %heads last_first`
  }];
  let arguments = (ins I64Attr:$readers, Optional<I32>:$head_group, UnitAttr:$last_first,
                       OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = "`readers` $readers (`head_group` $head_group^)? (`last_first` $last_first^)? attr-dict";
}

def Hopper_WaitGridDependencyOp : Hopper_Op<"wait_grid_dependency", [SetUp<"Wait">, MemoryEffects<[MemWrite<HopperGlobalMemory>]>]> {
  let summary = "waits until the kernels before this one in the stream have finished and their writes are visible";
  let description = "griddepcontrol.wait. Nothing of global memory may be touched before it.";
  let arguments = (ins StrAttr:$reason);
  let assemblyFormat = "`because` $reason attr-dict";
}

def Hopper_AllowDependentsOp : Hopper_Op<"allow_dependents", [SetUp<"Arrive">, MemoryEffects<[MemWrite<HopperGlobalMemory>]>]> {
  let summary = "lets the next kernel of the stream start its own set-up (griddepcontrol.launch_dependents)";
  let arguments = (ins StrAttr:$reason);
  let assemblyFormat = "`because` $reason attr-dict";
}

#endif // HOPPER_ROLE_OPS
