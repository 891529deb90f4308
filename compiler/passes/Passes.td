//===- Passes.td - The passes of tkc, in pipeline order -------------------===//
#ifndef TKC_PASSES
#define TKC_PASSES

include "mlir/Pass/PassBase.td"

def AssignWarp : Pass<"tk-assign-warp", "::mlir::ModuleOp"> {
  let summary = "gives a kernel whose register tiles are lower than a warpgroup's to one warp";
  let description = [{
    Before: a kernel without `tk.each`, all of whose register tiles have fewer than 64 rows. After: its grid has a
    `tk.each warp of 4` around everything, and its stores are in an `scf.if` that is true in the first warp. Others
    stay as they are: `tk-verify-layouts` refuses a tile of less than 64 rows beside higher ones.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ReadWarpOperands : Pass<"tk-read-warp-operands", "::mlir::ModuleOp"> {
  let summary = "reads shared operands of a warp's MMAs into registers";
  let description = [{
    Before: MMAs in `tk.each warp` with operands in shared memory, or that subtract. After: MMAs of parts along K, each of which a
    `tk.read` brings into registers in the layout that the form asks for; of B at most 64 registers a thread are
    alive at once. A part of an operand in registers is a `tk.slice`. Those that subtract add the product of -A.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def VerifyLayouts : Pass<"tk-verify-layouts"> {
  let summary = "refuses MMAs, loads and stores that the machine cannot do";
  let description = [{
    Changes nothing. The dialect's verifiers have refused what is wrong everywhere (shapes that do not
    fit together); this pass refuses what is wrong on Hopper, in the user's words:

    - MMAs of warpgroups: an accumulator that is not `row`, not a multiple of 64 rows, or neither
      `f32` nor, of `i8`, `i32`; B in registers; A in registers that is transposed or not 16 bits wide;
      operands that are not 16 bits wide and not contiguous along K;
    - MMAs of warps (in `tk.each warp`): operands in shared memory, not 16 bits wide, or of the wrong
      layout tag; elsewhere, any `col` tile;
    - loads and stores: rows of a tile that are not a multiple of 32 bytes, so that no swizzle fits them;
      values that are neither `f32` nor of the tensor's type; an index of a store, or of a load from a part along it, that
      may be negative;
    - parts of register tiles that do not begin where a thread's registers do; parts of shared tiles that are neither
      whole swizzle-atom columns nor an equal part of one, leave the tile for some warpgroup, or begin where no number of one says;
      vectors beside `col` tiles.

    An error names both numbers, a note leads to the place where the other one comes from, and a last
    note says how to fix it.
  }];
}

def StackLoads : Pass<"tk-stack-loads", "::mlir::ModuleOp"> {
  let summary = "makes the loads of an array, of which each worker takes another element, one load";
  let description = [{
    Before: `tk.stack` of loads, of which slices are taken by the number of a warpgroup or warp. After: one
    `tk.load` with the places of all, which stands where the last one was; those that read one of the elements
    read a slice of it. There is no `tk.stack` any more.

    Refuses elements that are loaded from different tensors, in different loops or branches, or of which one is
    used before the last one is loaded.
  }];
}

def OrderGrid : Pass<"tk-order-grid", "::mlir::ModuleOp"> {
  let summary = "visits the points of a grid in the order in which their tiles lie in memory, where they share none";
  let description = [{
    Before: `tk.grid` with dimensions as the user listed them, the first one fastest. After: where every point loads and
    stores tiles of its own, the dimension along which the columns of these tiles go is the fastest one. Kernels with MMAs,
    gathers, several loads of one tensor, or hints about the order stay as they are.
  }];
}
def SplitMaskedIterations : Pass<"tk-split-masked-iterations", "::mlir::ModuleOp"> {
  let summary = "runs a mask only in the iterations of a loop in which it is not true everywhere";
  let description = [{
    Before: a `tk.map` in a loop that selects by the coordinates of an element, as `mask` does. After: it
    stands in an `scf.if` on a scalar that says whether the selection's condition is false anywhere in
    the tile; the other branch has the map with the selection made, which for a mask is nothing at all.

    The condition may combine comparisons with `and` and `or`; each side of a comparison grows evenly with
    the coordinates, so it is enough to look at one place of the tile. Other maps stay as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def FuseElementwise : Pass<"tk-fuse-elementwise"> {
  let summary = "makes one map of a chain of maps, and one instruction where the machine has it";
  let description = [{
    Before: a `tk.map` for each operation the user wrote. After: a map whose results only another map reads is
    part of that one, so that elements stay in registers of one statement. A chain is not fused where
    that would compute more often: out of a loop, or when something else reads the result as well. A
    vector is computed in the tile's map only if that is a few additions and multiplications.

    Within maps, towards the special function unit:
    - `exp(x)` becomes `exp2(x * log2e)`, and factors that are the same for all elements meet outside;
    - `exp2(x * c - v)` with v from tensors becomes `exp2(fma(x, c, -v))`;
    - `x / v` with v from a vector is marked as one that may become `x * (1 / v)` (`fastmath<arcp>`): one
      reciprocal for each row or column.
    How far results may be off is in the pass's file.
  }];
}

def VerifyStores : Pass<"tk-verify-stores", "::mlir::ModuleOp"> {
  let summary = "refuses kernels whose result would depend on when a store is over";
  let description = [{
    Changes nothing. In a point of the grid, statements run one after another, but loads run ahead and stores
    end at some time. Refused are

    - a load, or gather, from a tensor after a store to it, or in one loop with it, unless the places differ:
      by a constant in one step, and from step to step by an index that goes with the loop;
    - a tile stored twice to one place, or in every step of a loop or scope to the same, but for sums.

    Expects that equal indices are one value (`cse`).
  }];
}

def MergeLoads : Pass<"tk-merge-loads", "::mlir::ModuleOp"> {
  let summary = "loads once what a block of the program loads twice";
  let description = [{
    Before: two `tk.load` in one block, of one place in one tensor that the kernel does not write to, as tiles of one type.
    After: the first of them, which all read. Loads with a loop over tiles between them stay: the tile would take shared
    memory from the loop.

    Expects that equal indices are one value (`cse`).
  }];
}

def RowSumsOnTensorCores : Pass<"tk-row-sums-on-tensor-cores", "::mlir::ModuleOp"> {
  let summary = "makes the row sums of what an MMA reads from registers columns of that MMA";
  let description = [{
    Before: a loop that carries an accumulator `o` from zero on and a column vector `total`, scales both by one
    column vector or none, and adds to one the MMA of a tile `p` in registers with a loaded tile, to the other
    the row sums of `p` as floats: online softmax whose weights are summed as they are multiplied, rounded. The
    scaled `total` may be what the sums begin with.
    After: the loop carries one accumulator, eight columns wider, and the MMA has `sums`; `o` and `total` are
    slices of it, after the loop. Nothing is added up by threads.

    Leaves alone: what reads `total` or `o` in the loop otherwise, unrounded sums, operands that are not 16 bits
    wide, MMAs that would be too wide for an instruction, and kernels without shared memory for the ones.
    Expects maps to be fused (`tk-fuse-elementwise`).
  }];
  let dependentDialects = ["::tkc::tk::TkDialect", "::mlir::arith::ArithDialect"];
}

def OverlapMmas : Pass<"tk-overlap-mmas", "::mlir::ModuleOp"> {
  let summary = "starts the next iteration's first MMAs beside this one's last, so that both hide elementwise work";
  let description = [{
    Applies to a loop marked `tk.pipeline`, unless with `overlap = false`, in which elementwise work lies
    between two MMAs of an iteration, and the first of them does not need the second one of the
    iteration before. After: the loop issues the first MMA of the next iteration and the second one
    of this, then does the elementwise work of the next, then updates the accumulators. The part before
    the first such step stands before the loop and the last second MMA after it; where the loop may
    not run at all, a branch stands around all three. Loads go where they are used first, and those that
    are one load in several places have one `ring`.

    Leaves alone: loops with other effects than loads, and kernels whose tiles only fit the registers one
    after the other.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HoistInvariantFactors : Pass<"tk-hoist-invariant-factors", "::mlir::ModuleOp"> {
  let summary = "computes the parts of maps that no iteration changes before the loop, where there is room";
  let description = [{
    Before: a `tk.map` in a loop whose body computes special functions, roots or quotients of coordinates and of values
    from before the loop. After, if the register tiles then still fit: a `tk.map` before the loop for the largest such
    part, whose result the map in the loop reads. It is a vector where the part depends on one coordinate alone.
  }];
}

def HoistInvariants : Pass<"tk-hoist-invariants", "::mlir::ModuleOp"> {
  let summary = "moves what is the same in every iteration before its loop, but for reads of tiles";
  let description = [{
    As MLIR's `loop-invariant-code-motion`; a `tk.read` of a tile stays, and with it what is computed of it:
    the loop would have fewer registers for its own tiles.
  }];
}

def PromoteOperandsToRegisters : Pass<"tk-promote-operands-to-registers", "::mlir::ModuleOp"> {
  let summary = "reads the left operand that a loop's MMAs share into registers, where there is room";
  let description = [{
    Before: a tile loaded before a loop, in shared memory, that MMAs in the loop read as A. After, if
    the register tiles then still fit: a `tk.read` before the loop, whose result they read instead. Tiles
    that are read in another way stay where they are.
  }];
}

def SplitLoads : Pass<"tk-split-loads"> {
  let summary = "loads a tile in parts where MMAs read its columns in slices and its pipeline has one stage";
  let description = [{
    Before: a tile loaded in a loop with `tk.pipeline<stages = 1>`, read by slices of its columns that are known, and
    by MMAs that sum over its columns. After: a load for each part between the ends of slices, marked `tk.is_part`;
    the slices are the parts, and an MMA over all columns is one for each part. Each part has a ring and barriers of
    its own: it is loaded anew when its own readers are done. Parts are whole swizzle-atom columns.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Distribute : Pass<"tk-distribute", "::mlir::ModuleOp"> {
  let summary = "chooses how many warpgroups share each kernel's register tiles";
  let description = [{
    Before: `tk.kernel`, perhaps with `consumers` set by the user's hint. After: `consumers` = w is set.
    A tile of 64 * w * s rows belongs to w warpgroups, each of which holds s m64 blocks.

    Takes the w that the cost model predicts to be the fastest (2, 3, 4, 1; the most first where a loop
    computes beside its MMAs) and that divides every tile's height and leaves each thread enough
    registers for all tiles that are alive at once; 1 where rows of a tile move to other rows. In
    `tk.each`, w is the number of its warpgroups. Two warpgroups keep the tensor cores busy where one
    leaves a bubble after each group of MMAs.

    Where no w has enough registers, straight-line code that computes elements from those of their own column, and combines
    rows, is strip-mined first: it goes over blocks of 64, 32 or 16 columns, once for each reduction of rows that another
    one needs (compiler/passes/tile/StripMine.cpp). Refuses a kernel in which nothing fits then, either, and a hint
    that cannot hold; the notes list the tiles that are alive at the worst point.
  }];
}

def InsertPipeline : Pass<"tk-insert-pipeline", "::mlir::ModuleOp"> {
  let summary = "turns each tk.kernel into roles, rings and mbarriers";
  let description = [{
    Before: a `tk.kernel` with `consumers`. After: a `hopper.kernel` with a producer role that walks the
    same tiles, loops and branches and issues the loads, a consumer role that does the rest, and between
    them one ring per loaded tile (loads with equal `ring` are one). Neighbouring loads that are
    first used together share a full and an empty mbarrier, be it by an MMA, or by threads that read
    them into registers one right after the other; others, such as k and v of attention, have
    their own. No `tk` op except `tk.extent` and `tk.random` is left.

    Consumers wait for a stage where it is first used and give it back where a wait for an MMA that
    read it stands anyway, if need be one iteration late. Rings of innermost loops are as deep as shared
    memory allows, up to `max-stages`, or what `tk.pipeline<stages = n>` asks for. Stores of tiles go
    through staging buffers, one swizzle-atom column of 64 rows at a time; tiles that consumers write have a
    scratch tile. An accumulator that starts at zero and whose loop provably runs is not filled: its
    first MMA overwrites it. In `tk.each`, the producer loads for every worker what differs by worker.

    A kernel whose tiles are those of one consumer warpgroup may become one of blocks that share an SM: not persistent, or
    with `hopper.resident_blocks` persistent ones, as the hint `blocks_per_sm` asks for.

    Nothing waits for MMAs or stores yet: see tk-insert-waits.

    Refuses, at its place: tile code outside the grid, shared tiles that a loop hands on, loads that only
    some workers of `tk.each` make, rings that do not fit.
  }];
  let options = [
    Option<"maxStages", "max-stages", "int64_t", "8", "deepest ring that is chosen without a hint">];
  let dependentDialects = ["::tkc::hopper::HopperDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def SpecializeWarpgroups : Pass<"tk-specialize-warpgroups", "::mlir::ModuleOp"> {
  let summary = "gives each warpgroup a loop of its own where branches on its number start MMAs";
  let description = [{
    Before: a loop of consumer warpgroups with `scf.if`s on the role's index, in which one warpgroup writes shared
    memory that another one reads later in program order. After: signals and waits between the two, and an `scf.if`
    on the index with a loop on each side: the warpgroup's program. In it a stage is waited for before the
    warpgroup's first read, and given back where it waits for its last one anyway; a stage that it does not read is
    neither, and the empty barrier counts the others alone.

    Refuses a loop with more hand-overs than there are named barriers.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tkc::hopper::HopperDialect"];
}

def SkipMaskedBlocks : Pass<"tk-skip-masked-blocks", "::mlir::ModuleOp"> {
  let summary = "lets a warpgroup skip iterations in which a mask hides all of its rows";
  let description = [{
    Before: a loop of several consumer warpgroups whose body, where its masks hide every element of a warpgroup's
    rows, adds zeros to carried tiles and writes zeros to shared memory; the masks compare numbers that are
    affine in row, column and the loop's counter, and are fulfilled from some iteration on, which depends on the
    warpgroup. After: a loop of the iterations before that one, in which the warpgroup waits for stages, hands zeros
    over and gives stages back, and the loop of the rest. Other roles keep one loop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tkc::hopper::HopperDialect"];
}

def RotateLoops : Pass<"tk-rotate-loops", "::mlir::ModuleOp"> {
  let summary = "puts the next iteration's first MMA before this one's last";
  let description = [{
    Applies to the consumers of a block with a reducer. Before: a loop whose body begins with an MMA of its
    own, makes a tile in registers of its result for the next MMAs, and ends with an MMA that only the next
    iteration reads. After: the tile of the first iteration is made before the loop, if it runs, and that of the
    next one at the end of the body, under an `scf.if`, with the last MMA issued right after the first. A second
    cursor stands at the stage that the last MMA reads. The map that makes the tile is divided: another one converts
    to the narrow type after the wait for the last MMA, which reads the same registers. A wait for another load that
    follows the tile stands between the two.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tkc::hopper::HopperDialect"];
}

def SplitFactors : Pass<"tk-split-factors", "::mlir::ModuleOp"> {
  let summary = "multiplies bf16 tiles by a scanner's vectors as sums of two bf16, two elements at a time";
  let description = [{
    Before: a ring of f32 vectors that a scanner warp writes in fragment order, and that `hopper.map`s multiply the columns
    of bf16 fragments by, rounding to bf16. After: the vectors are written `split`, and `hopper.scale_columns` reads them.
    Applies where a ring's vectors are read for nothing else.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def SplitMapsAtMmas : Pass<"tk-split-maps-at-mmas", "::mlir::ModuleOp"> {
  let summary = "does elementwise work that needs one MMA alone before the wait for the next MMA";
  let description = [{
    Before: in a loop, a `hopper.map` reads the result of an MMA and, computed with it, a tile that a later group of
    MMAs makes or reads from registers. After: the work for which the first group suffices is a map of its own, before the other
    one. Applies where special functions need a good part of the MMAs' time, and where all that can be computed early
    is one tile.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect", "::tkc::tk::TkDialect"];
}

def DelayReductions : Pass<"tk-delay-reductions", "::mlir::ModuleOp"> {
  let summary = "lets every thread carry its part of a row's sum through a loop";
  let description = [{
    Before: `hopper.reduce_rows add` in a loop that adds the sums up, perhaps scaled by vectors. After: the
    reductions are `partial`, and a `hopper.finish_rows` stands where the whole sum is first needed, which
    is outside of the loop. Applies where everything that flows together with the sum is a sum, zero, or
    linear in sums; the order of additions changes.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def ConditionalRescale : Pass<"tk-conditional-rescale", "::mlir::ModuleOp"> {
  let summary = "scales the rows of a tile only where a warp has a row whose factor is not 1";
  let description = [{
    Before: a `hopper.map` in a loop that multiplies a fragment by a column vector, where the vector is an
    exponential of the change of something that the loop carries: online softmax. After: the map stands in
    an `scf.if` on `hopper.any_row`, whether a factor is not 1. Where the change is a choice between a row's
    maximum and what the loop carries, the choice and all that follows from it stand in such a branch, too,
    and the vote is on partial maxima, before `hopper.finish_rows` (passes/softmax/CarriedRowMax.h). Every row has the
    value that it had before.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def SpeculativeRescale : Pass<"tk-speculative-rescale", "::mlir::ModuleOp"> {
  let summary = "tells from sums of exponentials, not from maxima, whether a row's reference moves";
  let description = [{
    Before: in a loop, a `hopper.any_row` on partial maxima, whether one exceeds the row's reference by some
    slack; an `scf.if` on it in which the reference moves; `exp2((s - from) * c)` of the same scores, which
    are summed and converted only; and another `scf.if` that scales an accumulator (tk-conditional-rescale). After:
    exponentials and their sums are computed first, with the reference as it is, and the vote is on whether a
    sum exceeds a limit that the loop carries, as it does wherever a score exceeds the bound. All that stood
    there before stands in an `scf.if` on this vote, where the accumulator was scaled, and every row has the
    value that it had before. Where the exponentials are not summed (tk-row-sums-on-tensor-cores), the vote is on whether one
    is 2 or more as it is converted to 16 bits. A loop in which sums have exceeded the limit twice computes no exponentials in
    front of the vote any more, nor does one while a row has no limit, because all its scores were masked.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def GuardExponents : Pass<"tk-guard-exponents", "::mlir::ModuleOp"> {
  let summary = "computes exponents by multiply-adds where nobody sees what that rounds";
  let description = [{
    Before: in a loop, or beside one, a `hopper.map` of `exp2((x - v) * c)`, where `x` is a tile that nothing reads
    afterwards, `v` is of a column vector and `c` the same for all elements; the exponentials, possibly scaled,
    are rounded to 16 bits or fewer, and summed at most beside that. After: `exp2(fma(x, c, -level))` with
    `level = v * c`, which takes one instruction less for each element, and rounds `v * c`. Before it, a
    `hopper.any_row` asks whether a row's `|level|` is 4096 or more (512 where results have 11 bits of precision);
    if so, `x` becomes `x - v` and the level 0. Where `v` comes from a branch on another vote, that asks for this
    too, and the branch does it.

    Exponentials that are divided by the sum of their row have no vote: what rounds `v * c` cancels. Where `|v * c|`
    is 2^30 or more, `c` is a power of two instead.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def CombineBounds : Pass<"tk-combine-bounds", "::mlir::ModuleOp"> {
  let summary = "compares an element's index with the tighter of two bounds";
  let description = [{
    Before: in a `hopper.map`, a condition with two upper or two lower bounds of one index, which depends on the
    element. After: one comparison with their minimum or maximum. A bound without "or equal" beside one with it is
    moved by one, if no number of its type is beyond: constants, and extents of tensors. Other terms of the condition
    keep their order.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OverlapEpilogue : Pass<"tk-overlap-epilogue", "::mlir::ModuleOp"> {
  let summary = "stores a tile while the first MMA of the next one runs, where an MMA does not add to it";
  let description = [{
    Before: a consumer whose tile has one loop of steps, each with MMAs into new accumulators that are added
    to tiles that the loop carries, and stores of those after it: all consumers end at once, and the tensor cores stand
    still until the next tile's first MMA. After: the loop over tiles is an `scf.for` over their numbers
    (`hopper.tile_share`) that carries the tile before, its first step stands before the loop of steps, and the
    stores of the tile before between that step's MMA and the reads of its result; those of the last tile stand
    after everything. Needs no more registers than the loop of steps: a new accumulator beside a carried one.

    Leaves alone: dynamically scheduled tiles, ping-pong tiles, loops of steps that may not run, and what else stands
    between a tile's steps and its stores than elementwise work and staging, under conditions or not.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def FillAccumulators : Pass<"tk-fill-accumulators", "::mlir::ModuleOp"> {
  let summary = "fills accumulators that would keep their registers through an epilogue that needs them";
  let description = [{
    Applies to a role that may not fit its registers. Before: the first MMA of a loop overwrites an
    accumulator that holds nothing, which ptxas learns only at run time, so that it keeps the registers from
    one tile of the grid to the next. After: the accumulator is filled with zeros, and all MMAs add.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tkc::hopper::HopperDialect"];
}

def ShareCursors : Pass<"tk-share-cursors", "::mlir::ModuleOp"> {
  let summary = "gives rings that advance in step one cursor";
  let description = [{
    Before: a role has a cursor for each ring, or for rings that share barriers. After: cursors of as many stages that
    advance as often in the same blocks are one, which advances where the last of them did, unless one of them is used
    between its own advance and that one. Cursors that hand tiles over to other warpgroups, and those of a role that may
    not have the registers that it needs, stay.
  }];
}

def ReadIndexAgain : Pass<"tk-read-index-again", "::mlir::ModuleOp"> {
  let summary = "lets an epilogue compute its addresses itself, where the mainloop has no registers for them";
  let description = [{
    Applies to the consumers of a persistent kernel that may not fit their registers. Before: the epilogue's staging
    buffers and coordinates follow from the index of the warpgroup, which is read before the first tile, so that nvcc
    computes them there and keeps them. After: they follow from a `hopper.warpgroup_index` between the last loop
    that multiplies and the epilogue. A mainloop of warpgroups with tiles of their own that computes with 8-bit elements
    reads the index itself, in each iteration.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def KeepOperandsAlive : Pass<"tk-keep-operands-alive", "::mlir::ModuleOp"> {
  let summary = "keeps registers that MMAs read in every iteration alive until their loop is over";
  let description = [{
    Before: a loop with an MMA whose left operand is in registers and comes from before the loop. After: a
    `hopper.keep_alive` of it after the loop. ptxas up to CUDA 13.0 does not see that the next iteration reads it
    again, and may compute something else in its registers.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def AssignVariables : Pass<"tk-assign-variables", "::mlir::ModuleOp"> {
  let summary = "copies register tiles and vectors where one variable would have to hold two values";
  let description = [{
    Before: values in SSA form. After: analysis/registers/FragmentVariables.h gives each value a variable, and no
    variable holds two values that are needed at once: MMAs accumulate, loops carry and branches
    choose in place. Where that cannot be, a `hopper.copy` stands before the op that would overwrite,
    for instance where a loop exchanges two tiles. Takes away copies that are not needed, so running it
    again changes nothing.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def InsertWaits : Pass<"tk-insert-waits", "::mlir::ModuleOp"> {
  let summary = "covers every hazard of an asynchronous operation with the weakest wait, fence or barrier";
  let description = [{
    Before: `hopper.kernel` without waits inside its roles. After: no hazard is left in the sense of
    analysis/hazards/Hazards.h, and each inserted op says why it is there. Repeats until the analysis finds
    nothing: take the first hazard, put in what covers it, look again. Existing waits and fences count, so
    the pass does nothing to its own output.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def PingPongWarpgroups : Pass<"tk-pingpong-warpgroups", "::mlir::ModuleOp"> {
  let summary = "lets one consumer warpgroup start its MMAs while the others do elementwise work";
  let description = [{
    Applies to a loop of several consumer warpgroups that starts all its MMAs one after the other and
    works on fragments afterwards, where the special functions of that work take at least three quarters
    of the MMAs' time; or as the hint `pingpong_warpgroups` says. After: `hopper.pingpong_acquire` before the first
    MMA and `hopper.pingpong_release` after the last, `hopper.pingpong_begin` and `hopper.pingpong_end` at both
    ends of the role. Without ping-pong all warpgroups drift into the same step, and the tensor cores stand
    still while all compute exponentials (ping-pong scheduling; Shah et al. 2024, section 3.1).

    Leaves alone: loops that a warpgroup may run more often than another, and those with several runs of
    MMAs.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def AllocateShared : Pass<"tk-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "gives every ring and barrier its bytes of shared memory, and rings their swizzle";
  let description = [{
    After: every `hopper.alloc_ring` has `offset` and `swizzle` (the largest span of 128, 64 and 32 bytes
    that divides a row), every `hopper.alloc_barrier` has `offset`, and `shared_bytes` is their sum.
    Refuses a kernel that needs more than a block has; the notes list the buffers.
  }];
}

def AllocateRegisters : Pass<"tk-allocate-registers", "::mlir::ModuleOp"> {
  let summary = "gives every role its registers and the kernel its threads";
  let description = [{
    After: `threads` and each role's `registers` are set, from the table of splits that setmaxnreg and
    the block's register pool allow. Refuses a kernel whose live tiles need more than any split gives,
    and MMAs wider than the registers with which the kernel starts can name; the notes list what is
    alive where.
  }];
}

def VerifyStages : Pass<"tk-verify-stages", "::mlir::ModuleOp"> {
  let summary = "between stages: refuses what may no longer occur";
  let description = [{
    Changes nothing. Says which pass broke its promise, instead of a wrong kernel later:

    - no `tk` op but `tk.extent`, and no tile type;
    - no variable in registers holds two values at once (analysis/registers/FragmentVariables.h);
    - no hazard is left (analysis/hazards/Hazards.h);
    - every ring and barrier has a place, they do not overlap, and all are within `shared_bytes`;
    - every role has its registers and their sum fits the block's pool.
  }];
}

def CheckProtocol : Pass<"tk-check-protocol", "::mlir::ModuleOp"> {
  let summary = "explores the barrier protocol of each kernel and refuses what can hang or race";
  let description = [{
    Changes nothing. Runs the roles of each `hopper.kernel` against each other, for 0, 1, stages - 1,
    stages, stages + 1 and 2 * stages + 1 iterations of each loop whose count is known only at launch, for
    both ways of each branch, for one to three tiles (analysis/protocol/Protocol.h says why this is all there is to
    see). Refuses:

    - a hang: arrivals, bytes or phases that do not fit together, roles whose loops differ, a register
      pool that is asked for more than it has;
    - a race: shared memory that is overwritten while in use or read before the data has landed; a missing
      proxy fence;
    - a named barrier that two groups of threads use.

    The notes of the error are the counterexample: how often each loop runs, who waits for what, and the
    steps that led there.

    Example:
    ```
    error: the kernel hangs: nobody can go on
    note: producer: waits for empty[0], whose phase 0 has 4 of 8 arrivals
    note: consumer: waits for full[1], whose phase 0 has 0 of 1 arrival
    note: in this run, this loop runs 3 times
    ```
  }];
  let statistics = [
    Statistic<"numRuns", "runs", "runs of a kernel's roles">,
    Statistic<"numSteps", "steps", "steps taken in all runs">];
}

def WarnPerformance : Pass<"tk-warn-performance", "::mlir::ModuleOp"> {
  let summary = "says what is right but slow, at its line";
  let description = [{
    Changes nothing. Warns, each kind under its own flag (PerformanceWarnings.def):

    - `narrow-mma`: an MMA that reads shared memory for longer than it multiplies;
    - `serial-mma`: a loop in which MMAs and elementwise work wait for each other;
    - `shallow-ring`: a ring of one stage that is filled in a loop;
    - `bank-conflict`: an access that has conflicts by analysis/hazards/BankConflicts.h, of a tile that other columns
      would give it;
    - `tile-copy`: a `hopper.copy` of a tile in a loop;
    - `column-reduction`: a reduction in a loop that meets in shared memory;
    - `registers`: a role that may need more registers than it has;
    - `synchronous-gather`: a gather in a loop that was asked to be pipelined;
    - `idle-sms`: a grid of known size whose last round occupies few SMs.
  }];
  let options = [
    ListOption<"silenced", "silenced", "std::string", "kinds that are not warned of">];
}

def LegalizeForEmission : Pass<"tk-legalize-for-emission", "::mlir::ModuleOp"> {
  let summary = "leaves one spelling per op and one name per value";
  let description = [{
    The backend prints what this pass leaves and decides nothing. See the head of
    LegalizeForEmission.cpp for the form.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

def PrefetchFirstLoads : Pass<"tk-prefetch-first-loads", "::mlir::ModuleOp"> {
  let summary = "asks L2 for a block's first loads while the kernel before this one ends, where the user wants that";
  let description = [{
    Applies to kernels with the hint `prefetch`. Before: a producer that waits for the kernel before, and then walks its
    tiles. After: before the wait, a `hopper.first_tile` with a `hopper.prefetch_load` for the first loads of each ring,
    as many as the hint says, and the scalars and branches that lead there; elements of tensors are read `early`.
    Values that an early element decides steer hints alone: so many iterations of a loop are written out, and divisions
    by such a value, or in a branch by one that may be 0, are left out.

    Refuses kernels without a wait, with a dynamic tile scheduler, or whose loads depend on more than that.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tkc::hopper::HopperDialect"];
}

def PrefetchTensorMaps : Pass<"tk-prefetch-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "fetches the tensor maps of a producer's loads before it waits for the kernel before";
  let description = [{
    Before: a producer whose loads name tensor maps. After: it begins with a `hopper.prefetch_maps` of those.
  }];
  let dependentDialects = ["::tkc::hopper::HopperDialect"];
}

#endif // TKC_PASSES
