//===- Pipeline.cpp - The passes of tkc, in order -------------------------===//
//
// The whole compiler between Clang's AST and the CUDA text, on one screen. Each
// pass is one file of passes/, documented in Passes.td; the state after it
// stands here.
//
//===----------------------------------------------------------------------===//
#include "driver/Pipeline.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

void tkc::buildPipeline(mlir::OpPassManager &passes, const PipelineOptions &options) {
  //===--------------------------------------------------------------------===//
  // The user's program
  //===--------------------------------------------------------------------===//

  // Tiles lower than a warpgroup's are a warp's.
  passes.addPass(createAssignWarp());
  // The MMAs of a warp have their operands in registers.
  passes.addPass(createReadWarpOperands());
  // Every MMA is one the tensor cores can do: tags, shapes, element types, operand spaces.
  passes.addPass(createVerifyLayouts());
  // Equal scalar expressions are one value; nothing is computed that nobody uses.
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addNestedPass<tk::KernelOp>(mlir::createCSEPass());
  // An array of loaded tiles of which each worker takes another one is one tile.
  passes.addPass(createStackLoads());
  // No point of the grid loads what it has stored, or stores twice to one place.
  passes.addPass(createVerifyStores());
  // No tile is loaded twice where once is enough.
  passes.addPass(createMergeLoads());
  // Tiles that no two points share come in the order of memory.
  passes.addPass(createOrderGrid());
  // Masks are computed only in the iterations in which they hide something.
  passes.addPass(createSplitMaskedIterations());
  // A chain of operations is one map, in the machine's own functions.
  passes.addNestedPass<tk::KernelOp>(createFuseElementwise());
  // Values that are the same in every iteration are computed before the loop, parts of maps too.
  passes.addPass(createHoistInvariantFactors());
  passes.addPass(createHoistInvariants());

  //===--------------------------------------------------------------------===//
  // Who does it, and when
  //===--------------------------------------------------------------------===//

  // Row sums of a left operand are columns of its MMA's accumulator.
  passes.addPass(createRowSumsOnTensorCores());
  // MMAs run beside elementwise work of another iteration.
  passes.addPass(createOverlapMmas());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addNestedPass<tk::KernelOp>(mlir::createCSEPass());
  // The left operand that all MMAs of a loop share is in registers, where there is room.
  passes.addPass(createPromoteOperandsToRegisters());
  // Each kernel knows how many warpgroups share its register tiles.
  passes.addPass(createDistribute());
  // A tile in a pipeline of one stage is several, where MMAs read its columns apart.
  passes.addPass(createSplitLoads());
  // Sequential tiles have become roles: a producer that loads, consumers that compute and store,
  // rings of shared tiles and mbarriers between them. Nothing waits for an MMA or a store yet.
  passes.addPass(createInsertPipeline());
  // Warpgroups that do different things in a loop have each one of their own, and hand tiles over.
  passes.addPass(createSpecializeWarpgroups());
  // Equal values are one.
  passes.addNestedPass<hopper::KernelOp>(mlir::createCSEPass());
  // Factors that a scanner warp makes are the sums of two bf16, which multiply pairs.
  passes.addPass(createSplitFactors());
  // A warpgroup skips blocks that a mask hides from its rows alone.
  passes.addPass(createSkipMaskedBlocks());
  // Elementwise work that needs one MMA alone is done before the wait for the next MMA.
  passes.addPass(createSplitMapsAtMmas());
  // Consumers beside a reducer issue the next iteration's first MMA before this one's
  // last.
  passes.addPass(createRotateLoops());
  // Threads combine their parts of a row's sum after the loop, and warps scale no rows by one.
  passes.addPass(createDelayReductions());
  passes.addPass(createConditionalRescale());
  // A warp computes exponentials speculatively, and sums that it needs anyway tell whether a row
  // must be rescaled.
  passes.addPass(createSpeculativeRescale());
  // Exponents are multiply-adds in the iterations in which nobody sees what that rounds.
  passes.addPass(createGuardExponents());
  passes.addNestedPass<hopper::KernelOp>(mlir::createCSEPass());
  // A mask compares an index with the tighter of two bounds.
  passes.addPass(createCombineBounds());
  // A tile is stored while the next one's first MMA runs, if that does not add to it.
  passes.addPass(createOverlapEpilogue());
  // Accumulators leave their registers to the epilogue, where it needs them.
  passes.addPass(createFillAccumulators());
  // Registers that MMAs read in every iteration are needed until their loop is over.
  passes.addPass(createKeepOperandsAlive());
  // No variable in registers has to hold two values at once.
  passes.addPass(createAssignVariables());
  // Every hazard of an asynchronous operation is covered by a wait, a fence or a barrier, with its
  // reason.
  passes.addPass(createInsertWaits());
  // Where MMAs and special functions need equally long, warpgroups start MMAs in ping-pong.
  passes.addPass(createPingPongWarpgroups());

  //===--------------------------------------------------------------------===//
  // Where it lives
  //===--------------------------------------------------------------------===//

  // Rings and barriers have their bytes of shared memory, tiles their swizzle.
  passes.addPass(createAllocateShared());
  // Each role owns as many registers as its tiles need; together they fit the block's pool.
  passes.addPass(createAllocateRegisters());
  // No tk tile is left; every buffer has a place and every role its registers.
  passes.addPass(createVerifyStages());
  // Rings that advance in step have one cursor.
  passes.addPass(createShareCursors());
  // The roles neither hang nor race, however often loops run.
  passes.addPass(createCheckProtocol());
  // Warnings have named correct code that is slow.
  std::vector<std::string> silenced(options.silencedWarnings.begin(),
                                    options.silencedWarnings.end());
  passes.addPass(createWarnPerformance({silenced}));
  // An epilogue computes its addresses itself, where the mainloop has no registers for them.
  passes.addPass(createReadIndexAgain());

  //===--------------------------------------------------------------------===//
  // How it is written down
  //===--------------------------------------------------------------------===//

  // Each op has one spelling and each value one name: the backend only prints.
  passes.addPass(createLegalizeForEmission());
  // L2 fetches what a block loads first, and TMA its maps, while the kernel before this one ends.
  passes.addPass(createPrefetchFirstLoads());
  passes.addPass(createPrefetchTensorMaps());
}
