#!/usr/bin/env python3
"""pass_mutation.py - Does a test notice when the core of a pass or an analysis is gone?

Takes the line out that a pass or an analysis exists for, builds tk-opt and tkc, and runs the tests of that pass: one
must fail. Lines of different passes go together in a round, since each test runs its own pass; the sources are
put back at the end. Takes about two minutes a round.

Usage: pass_mutation.py [UNIT ...]     default: all of the table below. Needs a build folder (TKC_BUILD).
       pass_mutation.py --check        only whether each line is in its source, once
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "python"))
from tkc_run import toolchain

# Round, file, the core line, what stands there instead, the tests that run this pass or analysis.
TABLE = [
    (1, "passes/tile/VerifyLayouts.cpp", "isLegal &= succeeded(verifyHeight(op, result));", "(void)result, (void)verifyHeight;", "verify-layouts"),
    (2, "passes/tile/VerifyLayouts.cpp", "isLegal &= succeeded(verifyLayout(op, result));", "(void)result, (void)verifyLayout;", "verify-layouts"),
    (3, "passes/tile/VerifyLayouts.cpp", "{ isLegal &= succeeded(verifyIndices(store, ranges)); }", "{ (void)store, (void)verifyIndices; }", "verify-layouts"),
    (1, "passes/tile/FuseElementwise.cpp", "patterns.add<FuseIntoConsumer, ", "patterns.add<", "fuse-elementwise"),
    (2, "passes/tile/FuseElementwise.cpp", "ExpToExp2, FoldScaleOfExp2", "FoldScaleOfExp2", "fuse-elementwise"),
    (3, "passes/tile/FuseElementwise.cpp", "ExpToExp2, FoldScaleOfExp2", "ExpToExp2", "fuse-elementwise"),
    (4, "passes/tile/FuseElementwise.cpp", "ScaleOfMaximum, DivideByVector>", "ScaleOfMaximum>", "fuse-elementwise"),
    (5, "passes/tile/FuseElementwise.cpp", "|| !isFromOutside(map, other)", "|| (false && !isFromOutside(map, other))", "fuse-elementwise"),
    (6, "passes/tile/FuseElementwise.cpp", "!(isNearOne(scale) || isNearOne(innerScale))", "(false && !(isNearOne(scale) || isNearOne(innerScale)))", "fuse-elementwise"),
    (1, "passes/softmax/GuardExponents.cpp", "contract(*group, createRepair(builder, *group).getResults());", "return;", "guard-exponents"),
    (2, "passes/softmax/GuardExponents.cpp", "guardInMove(*group, branch);", "return;", "guard-exponents"),
    (3, "passes/softmax/GuardExponents.cpp", " || !difference->element.hasOneUse() ||", " ||", "guard-exponents"),
    (4, "passes/softmax/GuardExponents.cpp", "contractQuotient(map);", "(void)contractQuotient;", "guard-exponents"),
    (5, "passes/softmax/Exponents.cpp", "(isa<arith::AddFOp, arith::SubFOp>(op) && all(first))", "isa<arith::AddFOp, arith::SubFOp>(op)", "guard-exponents"),
    (7, "passes/tile/FuseElementwise.cpp", "ScaleOfMaximum, DivideByVector", "DivideByVector", "fuse-elementwise"),
    (6, "passes/softmax/Exponents.cpp", "if (!rounding)\n        return std::nullopt;", "if (!rounding)\n        continue;", "guard-exponents"),
    (1, "passes/tile/SplitMaskedIterations.cpp", "      split(map);", "      (void)map, (void)split;", "split-masked"),
    (1, "passes/softmax/RowSumsOnTensorCores.cpp", "      widen(*summed);", "      (void)widen;", "row-sums-on-tensor-cores"),
    (2, "passes/softmax/RowSumsOnTensorCores.cpp", "if (total->factor != accumulator->factor)", "if (false)", "row-sums-on-tensor-cores"),
    (3, "passes/softmax/RowSumsOnTensorCores.cpp", "extend && map.getInputs()[0] == p && ", "extend && ", "row-sums-on-tensor-cores"),
    (4, "passes/softmax/RowSumsOnTensorCores.cpp", "if (!startsAtZero(accumulator->carried, loop))", "if (false)", "row-sums-on-tensor-cores"),
    (5, "passes/softmax/RowSumsOnTensorCores.cpp", "if (!fitsInstruction(mma))", "if (false)", "row-sums-on-tensor-cores"),
    (6, "passes/softmax/RowSumsOnTensorCores.cpp", "if (!carried.hasOneUse() || !next.hasOneUse() || !sum->hasOneUse())", "if (!next.hasOneUse() || !sum->hasOneUse())", "row-sums-on-tensor-cores"),
    (6, "passes/softmax/OnlineSoftmax.cpp", " && isRounding(vote.readers.front())", "", "speculative-rescale"),
    (7, "passes/softmax/SpeculativeRescale.cpp", "isKnown = scalars.both(isKnown, isSeen);", "(void)isSeen;", "speculative-rescale"),
    (1, "passes/tile/AssignWarp.cpp", "        moveIntoEach(grid, EachWorker::Warp, getTarget().getWarpgroupWarps(), /*alone=*/true);", "        (void)grid;", "assign-warp"),
    (2, "passes/tile/MoveIntoEach.cpp", "    guard(store, isFirst);", "    (void)store, (void)guard;", "assign-warp"),
    (1, "passes/tile/ReadWarpOperands.cpp", "      readOperands(mma);", "      (void)mma, (void)readOperands;", "read-warp-operands"),
    (2, "passes/tile/ReadWarpOperands.cpp", "    if (mma.getSubtracts())", "    if (mma.getSubtracts() && false)", "read-warp-operands"),
    (1, "passes/tile/StackLoads.cpp", "    load.getResult().replaceAllUsesWith(part);", "    load.getResult().replaceAllUsesWith(builder.create<SliceOp>(part.getLoc(), tile, all.getResult(), ArrayRef<int64_t>{0, 0}));", "stack-loads"),
    (2, "passes/tile/StackLoads.cpp", "here && here->isBeforeInBlock(last))", "here && here->isBeforeInBlock(last) && false)", "stack-loads"),
    (1, "passes/tile/MergeLoads.cpp", "      merge(*known, load);", "      (void)merge;", "merge-loads"),
    (2, "passes/tile/MergeLoads.cpp", "if (written.contains(getWholeTensor(load.getSource())))", "if (false)", "merge-loads"),
    (3, "passes/tile/MergeLoads.cpp", "} else if (hasLoopBetween(*known, load)) {", "} else if (false && hasLoopBetween(*known, load)) {", "merge-loads"),
    (1, "passes/tile/VerifyStores.cpp", "if (failed(verify(accesses)))", "if ((void)verify, false)", "verify-stores"),
    (1, "passes/finish/ShareCursors.cpp", "        share(group, role);", "        (void)role, (void)share;", "share-cursors"),
    (2, "passes/finish/ShareCursors.cpp", "if (!fits(walk) || !llvm::all_of(group.walks, fits))", "if (false && (!fits(walk) || !llvm::all_of(group.walks, fits)))", "share-cursors"),
    (3, "passes/finish/ShareCursors.cpp", "if (prediction.mostAt && prediction.most > getAvailableRegisters(role))", "if (false)", "share-cursors"),
    (4, "passes/finish/ShareCursors.cpp", "cursor && !handsOver(cursor))", "cursor && (true || !handsOver(cursor)))", "share-cursors"),
    (5, "analysis/protocol/BarrierRoles.cpp", "      if (before.isOver)\n        before = {};", "", "share-cursors"),
    (1, "passes/schedule/OverlapMmas.cpp", "FailureOr<SmallVector<PlacedRemark>> done = overlapAll(kernel);",
     "FailureOr<SmallVector<PlacedRemark>> done = SmallVector<PlacedRemark>(); (void)overlapAll;", "overlap-mmas"),
    (2, "passes/schedule/OverlapMmas.cpp", "kernel.getBody().takeBody(plain->getBody());", ";", "overlap-mmas"),
    (3, "passes/schedule/OverlapMmas.cpp", "if (leavesOneIteration(loop))", "if (false && leavesOneIteration(loop))", "overlap-mmas"),
    (1, "passes/tile/HoistInvariantFactors.cpp", "const bool fits = consumers && chooseConsumers(kernel) == consumers;", "const bool fits = true;", "hoist-invariant-factors"),
    (2, "passes/tile/HoistInvariantFactors.cpp", "        hoistFactors(kernel, map, loop, consumers);", "        (void)hoistFactors;", "hoist-invariant-factors"),
    (1, "passes/tile/PromoteOperandsToRegisters.cpp", "bool isKept = consumers && chooseConsumers(kernel) == consumers;", "bool isKept = true;", "promote-operands-to-registers"),
    (2, "passes/tile/PromoteOperandsToRegisters.cpp", "if (isKeepable(load, missed))", "if (isKeepable(load, missed) && false)", "promote-operands-to-registers"),
    (1, "passes/tile/SplitLoads.cpp", "ends.size() > 2)", "ends.size() > 99)", "split-loads"),
    (2, "passes/tile/SplitLoads.cpp", "slice.first < end && end < slice.second;", "false;", "split-loads"),
    (1, "passes/schedule/SpecializeWarpgroups.cpp", "        if (differs(loop, role))", "        if (false && differs(loop, role))", "specialize-warpgroups"),
    (2, "passes/schedule/SpecializeWarpgroups.cpp", "      if (placeStage(own, stage))", "      if (stage.isSimple)", "specialize-warpgroups"),
    (3, "passes/schedule/HandOvers.cpp", "          said[index][handOver.from] = time;", "", "specialize-warpgroups"),
    (1, "passes/tile/Distribute.cpp", "      if (fits(kernel, warpgroups,\n               hasRoom", "      if (true || fits(kernel, warpgroups,\n               hasRoom", "distribute"),
    (2, "passes/tile/WarpgroupFit.cpp", "return findObstacle(kernel, warpgroups).has_value();", "return false;", "distribute"),
    (7, "passes/tile/Distribute.cpp", "if (!stripMine(kernel))", "if (true || !stripMine(kernel))", "strip-mine"),
    (1, "passes/tile/StraightLine.cpp", "known[result] = sweep + combinesRows;", "known[result] = sweep + (combinesRows && false);", "strip-mine"),
    (2, "passes/tile/ColumnBlocks.cpp", "column.replaceAllUsesExcept(moved, moved.getDefiningOp());", "(void)moved;", "strip-mine"),
    (3, "passes/tile/ColumnBlocks.cpp", "arith::AtomicRMWKind::maxnumf : ", "arith::AtomicRMWKind::maximumf : ", "strip-mine"),
    (4, "passes/tile/StripMine.cpp", "  divideGuards(kernel);\n", "  (void)divideGuards;\n", "strip-mine"),
    (5, "passes/tile/StraightLine.cpp", "2 * whole / (width / columns) <= budget ?", "true ?", "strip-mine"),
    (8, "passes/tile/StraightLine.cpp", " && !(isUnrolled && isSameForAll(load))", " && ((void)isSameForAll, true)", "strip-mine"),
    (9, "passes/tile/StripMine.cpp", "code.getWidth() <= 2 * columns", "code.getWidth() < 2 * columns", "strip-mine"),
    (10, "passes/tile/StraightLine.cpp", "(each && each.getAlone()) ? 64 : 128", "(each && false) ? 64 : 128", "strip-mine"),
    (11, "passes/tile/ColumnBlocks.cpp", "workers > 1 ? combineWorkers(builder, reduce, own) : own", "own", "strip-mine"),
    (12, "passes/tile/StraightLine.cpp", "return count % 8 == 0 ? 4 : count % 4 == 0 ? 2 : 1;", "return 1;", "strip-mine"),
    (13, "passes/tile/ColumnBlocks.cpp", "guard && workers > 1)", "guard && false)", "strip-mine"),
    (1, "analysis/hazards/Hazards.cpp", "if (hasOtherShape || ", "if ((hasOtherShape && false) || ", "insert-waits/accumulate-in-other-shape"),
    (2, "passes/pipeline/PipelineConsumer.cpp", "goesOnInOtherShape(openGroup, mma));", "(goesOnInOtherShape(openGroup, mma) && false));", "insert-waits/accumulate-in-other-shape"),
    (1, "passes/tile/OrderGrid.cpp", "(order->size() < rank && isLoad)", "(false && isLoad)", "order-grid"),
    (2, "passes/tile/OrderGrid.cpp", "return llvm::equal(*common, *order);", "return true;", "order-grid"),
    (3, "passes/tile/OrderGrid.cpp", "loaded.insert(load.getSource()).second", "(loaded.insert(load.getSource()).second || true)", "order-grid"),
    (4, "passes/tile/OrderGrid.cpp", "isa<MmaOp, GatherOp, ScatterOp>(op)", "isa<GatherOp, ScatterOp>(op)", "order-grid"),
    (6, "analysis/registers/TileRegisters.cpp", "if (later.empty() && here.empty())", "if (later.empty())", "strip-mine"),
    (1, "passes/tile/AssignRecurrence.cpp", "  found->assign();", "", "distribute/recurrence"),
    (2, "passes/tile/AssignRecurrence.cpp", "         isSeparate();", "         true;", "distribute/no-recurrence"),
    (3, "passes/tile/AssignRecurrence.cpp", "return hasOwnPlace(store); }", "return true; }", "distribute/no-recurrence"),
    (4, "passes/tile/AssignRecurrence.cpp", "!carriesTilesAlone() || ", "", "distribute/no-recurrence"),
    (3, "passes/tile/AssignScanner.cpp", "    work.assign();", "    (void)work;", "distribute/scanner"),
    (4, "passes/tile/AssignScanner.cpp", "  leaveMaps();\n  return", "  return", "distribute/scanner"),
    (1, "passes/pipeline/InsertPipeline.cpp", "hoistInvariants(source);", "(void)hoistInvariants;", "insert-pipeline/"),
    (2, "passes/pipeline/PipelineReleases.cpp", "loadPoint.isDelayed = loop && isInFlight && !tk::holdsReducers(loop);", "loadPoint.isDelayed = loop && isInFlight && false;", "insert-pipeline/"),
    (4, "passes/pipeline/LoadsOverHandOvers.cpp", "        group.over = alloc;", "        (void)alloc;", "insert-pipeline/"),
    (5, "passes/pipeline/LoadsOverHandOvers.cpp", "  if (isLast)\n", "  if (isLast && false)\n", "insert-pipeline/"),
    (3, "passes/pipeline/LandTogether.cpp", "bool tkc::landTogether(LoadGroup &group, LoadGroup &other) {", "bool tkc::landTogether(LoadGroup &group, LoadGroup &other) {\n  if (&group != &other)\n    return false;", "insert-pipeline/"),
    (6, "passes/pipeline/LandTogether.cpp", "if (areReadTogether(loadPoint, added) && ", "if (false && areReadTogether(loadPoint, added) && ", "insert-pipeline/rings/read-together"),
    (7, "passes/pipeline/LandTogether.cpp", "isScalarBetween(loadPoint.firstUse, getLastUse(added), isRead)", "(void(isRead), true)", "insert-pipeline/rings/read-together"),
    (8, "passes/pipeline/LandTogether.cpp", "llvm::all_of(added.uses, isRead) && isInInnermostLoop(loadPoint)", "llvm::all_of(added.uses, isRead) && (isInInnermostLoop(loadPoint) || true)", "insert-pipeline/rings/read-together"),
    (9, "passes/pipeline/LandTogether.cpp", " && giveBackInOrder(group, other))", ")", "insert-pipeline/rings/read-together"),
    (1, "passes/schedule/SkipMaskedBlocks.cpp", "          isChanged |= skip(loop, role);", "          (void)skip;", "skip-masked-blocks"),
    (2, "passes/schedule/MaskedBlocks.cpp", "    if (!branch->hasAttr(masksTileAttrName))", "    if (false)", "skip-masked-blocks"),
    (3, "passes/schedule/RotatableLoop.cpp", "      parts.skips.push_back(advance);", "      (void)advance;", "skip-masked-blocks"),
    (1, "passes/schedule/SplitFactors.cpp", "        split(*ring);", "        (void)split;", "split-factors"),
    (2, "passes/schedule/SplitFactors.cpp", "|| !llvm::all_of(load->getUsers(), scales)", "|| load->use_empty()", "split-factors"),
    (1, "passes/schedule/SplitMapsAtMmas.cpp", "    divide(map, early, division);", "    (void)divide;", "split-maps-at-mmas"),
    (2, "passes/schedule/SplitMapsAtMmas.cpp", "isa<arith::MulFOp>(maker) && isa<arith::AddFOp, arith::SubFOp>(op)", "false", "split-maps-at-mmas"),
    (3, "passes/schedule/SplitMapsAtMmas.cpp", "|| !isWanted(map))", "|| (false && !isWanted(map)))", "split-maps-at-mmas"),
    (1, "passes/schedule/RotateLoops.cpp", "        Rotation(parts).run();", "        (void)parts;", "rotate-loops"),
    (2, "passes/schedule/RotatableLoop.cpp", "  parts.nextWait = wait;", "  (void)wait;", "rotate-loops"),
    (1, "passes/schedule/DelayReductions.cpp", "        delay(parts);", "        (void)delay;", "delay-reductions"),
    (2, "passes/schedule/DelayReductions.cpp", "if (!isSound(parts))", "if (!isSound(parts) && false)", "delay-reductions"),
    (1, "passes/softmax/ConditionalRescale.cpp", "    llvm::for_each(loops, makeLazy);", "    (void)makeLazy;", "conditional-rescale"),
    (2, "passes/softmax/ConditionalRescale.cpp", "scaling && isOftenOne(scaling->factor, loop)", "scaling && (true || isOftenOne(scaling->factor, loop))", "conditional-rescale"),
    (1, "passes/schedule/CombineBounds.cpp", "      terms[i] = both;", "", "combine-bounds"),
    (2, "passes/schedule/CombineBounds.cpp", "bound.isStrict && !isStrict && !hasNext(bound)", "false && !hasNext(bound)", "combine-bounds"),
    (3, "passes/schedule/CombineBounds.cpp", "one && other && one->index.getParentBlock() == &body", "one && other", "combine-bounds"),
    (1, "passes/schedule/OverlapEpilogue.cpp", "if (!code)", "if (true || !code)", "overlap-epilogue"),
    (2, "passes/schedule/OverlapEpilogue.cpp", "!tripCount.isAtLeastOne(code.steps)", "(false && !tripCount.isAtLeastOne(code.steps))", "overlap-epilogue"),
    (3, "passes/schedule/OverlapEpilogue.cpp", "if (!startsAnew(mma))", "if (false && !startsAnew(mma))", "overlap-epilogue"),
    (1, "passes/finish/workarounds/FillAccumulators.cpp", "      fill(carried);", "      (void)fill;", "fill-accumulators"),
    (2, "passes/finish/workarounds/FillAccumulators.cpp", " ||\n      prediction.most <= getTileRegisters(role.getWarpgroups(), role.getRegisters(), /*beside=*/0))", ")", "fill-accumulators"),
    (1, "analysis/registers/CarriedAccumulators.cpp", "if (!matchPattern(mma.getAccumulate(), m_Constant()))", "if (false)", "register-bound"),
    (2, "analysis/registers/RegisterBound.cpp", "return isHoisted ? ", "return false ? ", "register-bound"),
    (6, "passes/softmax/ConditionalRescale.cpp", " || readsChoiceBetweenInputs(map)))", "))", "conditional-rescale/"),
    (7, "passes/softmax/ConditionalRescale.cpp", "other && llvm::is_contained(map.getInputs(), other))", "other)", "conditional-rescale/"),
    (1, "passes/finish/PrefetchFirstLoads.cpp", "(outermost || isEarly(op.getOperands().back())))", "outermost)", "prefetch-first-loads"),
    (2, "passes/finish/PrefetchFirstLoads.cpp", "element.setEarly(isFromEarly = true);", "isFromEarly = bool(element);", "prefetch-first-loads"),
    (3, "passes/finish/PrefetchFirstLoads.cpp", "  visitIteration(loop, number + 1, next);", "  (void)next;", "prefetch-first-loads"),
    (4, "passes/finish/PrefetchFirstLoads.cpp", "if (tiles.getDynamic())", "if (tiles.getDynamic() && false)", "prefetch-first-loads"),
    (5, "passes/finish/PrefetchFirstLoads.cpp", "    builder.setInsertionPoint(outermost);", "    (void)outermost;", "prefetch-first-loads"),
    (1, "passes/finish/PrefetchTensorMaps.cpp", "return part ? part.getMap() : map;", "return (void)part, map;", "prefetch-tensor-maps"),
    (2, "passes/finish/PrefetchTensorMaps.cpp", "OpBuilder::atBlockBegin(&role", "OpBuilder::atBlockEnd(&role", "prefetch-tensor-maps"),
    (1, "passes/finish/workarounds/ReadIndexAgain.cpp", "      use->set(value);", "      (void)use;", "read-index-again"),
    (2, "passes/finish/workarounds/ReadIndexAgain.cpp", "prediction.most <= getAvailableRegisters(role)", "false", "read-index-again"),
    (3, "passes/finish/workarounds/ReadIndexAgain.cpp", "!role->getParentOfType<KernelOp>().getPersistent().value_or(true)", "false", "read-index-again"),
    (4, "passes/finish/workarounds/ReadIndexAgain.cpp", "if (mainloop && exchangesElements(mainloop))", "if (false && exchangesElements(mainloop))", "read-index-again"),
    (5, "passes/finish/workarounds/ReadIndexAgain.cpp", "tk::getStorageBits(tile.getElementType()) == 8", "true", "read-index-again"),
    (1, "passes/finish/workarounds/KeepOperandsAlive.cpp", "        reads.insert({loop, left});", "        (void)loop;", "keep-operands-alive"),
    (2, "passes/finish/workarounds/KeepOperandsAlive.cpp", "    if (isLoop(parent))\n      outermost = parent;", "    if (isLoop(parent) && !outermost)\n      outermost = parent;", "keep-operands-alive"),
    (3, "passes/finish/workarounds/KeepOperandsAlive.cpp", "left = slice.getSource();", "break;", "keep-operands-alive"),
    (1, "passes/finish/AssignVariables.cpp", "isolate(role);", "(void)isolate;", "assign-variables"),
    (2, "passes/finish/AssignVariables.cpp", "coalesce(role);", "(void)coalesce;", "assign-variables"),
    (3, "passes/finish/AssignVariables.cpp", "renewUninitialized(role);", "(void)renewUninitialized;", "assign-variables"),
    (1, "passes/finish/InsertWaits.cpp", "builder.create<WaitGridDependencyOp>(getUnnamedLoc(role.getLoc()), explainGridWait(role));", "(void)explainGridWait;", "insert-waits"),
    (1, "passes/pipeline/ChooseBlocks.cpp", "    kernel.setPersistent(false);\n", "", "choose-blocks"),
    (2, "passes/pipeline/ChooseBlocks.cpp", "if (readsTwice(plan) || ", "if ((false && readsTwice(plan)) || ", "choose-blocks"),
    (3, "passes/pipeline/ChooseBlocks.cpp", " || !computesBesideLoads(plan)", " || (false && !computesBesideLoads(plan))", "choose-blocks"),
    (4, "passes/pipeline/ChooseBlocks.cpp", "!fitsShared(plan, blocks, stages)", "(false && !fitsShared(plan, blocks, stages))", "choose-blocks"),
    (6, "passes/pipeline/ChooseBlocks.cpp", "if (loadsNeighbours(plan) && ", "if ((false && loadsNeighbours(plan)) && ", "choose-blocks"),
    (5, "passes/pipeline/ChooseBlocks.cpp", "if (keepsMore(plan) || ", "if ((false && keepsMore(plan)) || ", "choose-blocks"),
    (5, "passes/pipeline/ChooseStages.cpp", "(deep.size() > 1 || !isLoop)", "((void)isLoop, deep.size() > 1)", "one-stage-for-each-tile"),
    (1, "passes/finish/AllocateShared.cpp", "return *a.getSwizzle() > *b.getSwizzle();", "return *a.getSwizzle() < *b.getSwizzle();", "allocate-shared"),
    (2, "passes/finish/AllocateShared.cpp", "kernel.setSharedBytes(end);", "", "allocate-shared"),
    (1, "passes/finish/AllocateRegisters.cpp", "producer.setRegisters(split->producer);", "", "allocate-registers"),
    (2, "passes/finish/AllocateRegisters.cpp", "if (prediction.least > getMaxRegisters(consumers))", "if (prediction.least > getMaxRegisters(consumers) && false)", "allocate-registers"),
    (3, "passes/finish/AllocateRegisters.cpp", "if (failed(verifyWidths(consumer, consumers, blocksPerSm)))", "(void)verifyWidths;\n  if (false)", "allocate-registers"),
    (1, "passes/finish/VerifyStages.cpp", " || failed(verifyNoTiles(getOperation()))", "", "verify-stages"),
    (2, "passes/finish/VerifyStages.cpp", "succeeded(verifyVariables(kernel)) && ", "", "verify-stages"),
    (3, "passes/finish/VerifyStages.cpp", " && succeeded(verifyNoHazards(kernel))", "", "verify-stages"),
    (4, "passes/finish/VerifyStages.cpp", " && succeeded(verifyShared(kernel))", "", "verify-stages"),
    (5, "passes/finish/VerifyStages.cpp", "succeeded(verifyOnes(kernel)) && ", "", "verify-stages"),
    (1, "passes/finish/CheckProtocol.cpp", "if (!violation)", "if (!violation || true)", "check-protocol/"),
    (5, "analysis/protocol/ProtocolScalars.cpp", "if (form.kind == Form::Vote)", "if (form.kind == Form::Vote && false)", "in-vote"),
    (6, "analysis/protocol/ProtocolProgram.cpp", "{ visitTiles(loop); }", "{ visitLoop(loop, StepKind::TileLoop, StepKind::TileLoopEnd); }", "check-protocol/queue"),
    (1, "passes/finish/LegalizeForEmission.cpp", "if (failed(createTensorMaps(kernel)))", "if (false && failed(createTensorMaps(kernel)))", "legalize-for-emission"),
    (1, "passes/finish/WarnPerformance.cpp", "checkWidth(wgmma, reporter);", "(void)checkWidth;", "warn-performance"),
    (2, "passes/finish/WarnPerformance.cpp", "checkOverlap(loop, reporter);", "(void)checkOverlap;", "warn-performance"),
    (3, "passes/finish/WarnPerformance.cpp", "checkDepth(op, loaded, reporter);", "(void)checkDepth;", "warn-performance"),
    (4, "passes/finish/WarnPerformance.cpp", "checkGrid(loop, reporter);", "(void)checkGrid;", "warn-performance"),
    (5, "analysis/hazards/BankConflicts.cpp", "return address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4);", "return address;", "bank-conflicts"),
    (5, "analysis/ExtentEquality.cpp", "return isa<tk::GridOp>(parent) || (loop && loop.getInductionVar() == argument);", "return loop && loop.getInductionVar() == argument;", "extent-equality"),
    (5, "analysis/hazards/Hazards.cpp", "report({HazardKind::RegistersTouched, wgmma, wgmma});", ";", "hazards"),
    (6, "analysis/hazards/Hazards.cpp", "report({HazardKind::StoreReading, role, operations[key.first]});", ";", "hazards"),
    (5, "analysis/registers/TileRegisters.cpp", "  addInFlight(first, alive);\n", "", "tile-registers"),
    (6, "analysis/registers/TileRegisters.cpp", " || isUsedAgain(value, parent)", " || (false && isUsedAgain(value, parent))", "tile-registers"),
    (7, "analysis/registers/TileRegisters.cpp", "  dropReused(first, last, alive);\n", "", "tile-registers"),
    (5, "analysis/DominatingConditions.cpp", "*before + bound - from.offset + to.offset + *after <= most", "*before + bound - from.offset + to.offset + *after <= most + 1", "trip-count"),
    (5, "analysis/DominatingConditions.cpp", "known && *known <= most)\n      return true;", "known && *known <= most + 1)\n      return true;", "trip-count"),
    (3, "passes/pipeline/PipelineRings.cpp", "load.getLoc() != later.getLoc()", "true", "insert-pipeline/"),
    (8, "analysis/registers/RegisterPrediction.cpp", "(hasWideAccumulator(pressure) ? wideGap : 0)", "(hasWideAccumulator(pressure) ? 0 : 0 * wideGap)", "register-prediction"),
    (8, "analysis/registers/ValueLifetimes.cpp", "if (isLoop(parent) && isUsedInside(value, parent))", "if (false && isUsedInside(value, parent))", "assign-variables"),
]


def run_tests(build, expression):
    """The names of the tests that fail."""
    lit = os.path.join(subprocess.check_output(["llvm-config-19", "--prefix"], text=True).strip(), "build/utils/lit/lit.py")
    command = [sys.executable, lit, "-q", os.path.join(build, "test"), "--filter", expression]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return re.findall(r"^  tkc :: (\S+)", done.stdout, re.M)


def main():
    compiler = os.path.join(toolchain.SOURCE, "compiler")
    units = [argument for argument in sys.argv[1:] if argument != "--check"]
    rows = [row for row in TABLE if not units or any(unit in row[1] for unit in units)]
    texts = {}
    for _, name, *_ in rows:
        with open(os.path.join(compiler, name)) as file:
            texts[name] = file.read()
    stale = [f"{name} has '{old}' {texts[name].count(old)} times, not once" for _, name, old, *_ in rows if texts[name].count(old) != 1]
    if stale or "--check" in sys.argv:
        print("\n".join(stale) or f"all {len(rows)} lines are there")
        return 1 if stale else 0
    build = toolchain.build_folder()
    unnoticed = 0
    try:
        for round_number in sorted({row[0] for row in rows}):
            now = dict(texts)
            for _, name, old, new, _ in (row for row in rows if row[0] == round_number):
                now[name] = now[name].replace(old, new)
            write(compiler, now)
            subprocess.run(["ninja", "-C", build, "tk-opt", "tkc"], check=True, stdout=subprocess.DEVNULL)
            failed = run_tests(build, "passes|analysis")
            for _, name, old, _, tests in (row for row in rows if row[0] == round_number):
                own = [test for test in failed if tests in test]
                unnoticed += not own
                print(f"{'' if own else 'UNNOTICED '}{name}: {' '.join(old.split())[:70]}: {', '.join(own) or 'no test fails'}",
                      flush=True)
    finally:
        write(compiler, texts)
    print(f"{len(rows)} pass mutations, {unnoticed} whose loss no test notices")
    return 1 if unnoticed else 0


def write(compiler, texts):
    for name, text in texts.items():
        path = os.path.join(compiler, name)
        with open(path) as file:
            if file.read() == text:
                continue
        with open(path, "w") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
