//===- InsertPipeline.cpp - Sequential tiles become roles -----------------===//
//
// The user's kernel loads a tile, multiplies, loads the next one. Done in this
// order the tensor cores would idle for a memory latency in every iteration. So
// the block is split: a producer warpgroup, of which one thread issues all loads,
// and consumer warpgroups that compute and store. Between them lies a ring of
// shared tiles with two mbarriers per stage: full (the loads have landed) and
// empty (the consumers have read).
//
// MMAs whose results leave their iteration may have been marked for a third role, the
// reducer, to which the consumers hand shared tiles over (PipelineReducer.cpp). It loads where a
// producer beside it would leave the consumers too few registers. Work on vectors may have been
// marked for a fourth one, scanner warps beside the one that loads, which hand vectors over to the
// consumers.
//
// All roles walk the user's program, each doing its part (PipelineProducer.cpp,
// PipelineConsumer.cpp, PipelineStore.cpp); PipelinePlan.cpp decides beforehand
// and refuses what has no such form. Roles that share a warpgroup, with loads
// issued by a consumer thread, were measured 10-25 % slower (NVIDIA's and our own
// kernels), so there is no such mode.
//
//===----------------------------------------------------------------------===//
#include "analysis/ExtentEquality.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperLimits.h"
#include "dialect/tk/SourceNames.h"
#include "dialect/tk/TemplateParameters.h"
#include "dialect/tk/TkChoiceOp.h"
#include "dialect/tk/TkElementOp.h"
#include "dialect/tk/TkOffsetOp.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/ForEachKernel.h"
#include "passes/Passes.h"
#include "passes/pipeline/PipelineBuilder.h"
#include "passes/tile/BoundedIndex.h"
#include "passes/tile/DeadCode.h"
#include "passes/tile/LoadParts.h"
#include <mutex>

namespace tkc {
#define GEN_PASS_DEF_INSERTPIPELINE
#include "passes/Passes.h.inc"
} // namespace tkc

using namespace mlir;
using namespace tkc;

//===----------------------------------------------------------------------===//
// Buffers and barriers of both roles
//===----------------------------------------------------------------------===//

Value RoleBuilder::multiply(Location loc, Value left, int64_t right, StringRef parameter) {
  loc = getUnnamedLoc(loc);
  Value product = builder.createOrFold<arith::MulIOp>(loc, left, getConstant(loc, right));
  if (product != left)
    tk::nameOperand(product, parameter);
  return product;
}

Value RoleBuilder::countElements(Location loc, Value index, int64_t size, StringRef parameter) {
  auto offset = index.getDefiningOp<tk::OffsetOp>();
  if (offset)
    return offset.getElements();
  return multiply(loc, boundIndex(builder, getUnnamedLoc(loc), index, size), size, parameter);
}

Value RoleBuilder::add(Location loc, Value left, Value right) {
  if (matchPattern(left, m_Constant()))
    std::swap(left, right);
  return builder.createOrFold<arith::AddIOp>(getUnnamedLoc(loc), left, right);
}

/// The user's variable whose extents `tile` has: its own, or one that it is computed from element
/// by element.
static StringRef findVariable(Value tile) {
  StringRef name = tk::getVariableName(tile);
  auto map = tile.getDefiningOp<tk::MapOp>();
  if (!name.empty() || !map)
    return name;
  for (Value input : map.getInputs())
    if (isa<tk::TileVectorType>(input.getType()) == isa<tk::TileVectorType>(tile.getType()))
      if (name = findVariable(input); !name.empty())
        return name;
  return {};
}

SmallVector<Value> RoleBuilder::getOrigin(Location loc, ValueRange indices, Value tile,
                                          int64_t pages) {
  SmallVector<Value> origin(indices);
  StringRef variable = findVariable(tile);
  unsigned extents = isa<tk::TileVectorType>(tile.getType()) ? 1 : 2;
  for (Value &index : MutableArrayRef(origin).drop_back(extents)) // all of them count elements
    index = countElements(loc, index, 1, {});
  auto getName = [&](unsigned dim) {
    return tk::getExtentName(plan.kernel, variable, extents, dim);
  };
  if (auto vector = dyn_cast<tk::TileVectorType>(tile.getType())) {
    origin.back() = countElements(loc, origin.back(), vector.getLength(), getName(0));
    return origin;
  }
  auto type = cast<tk::TileType>(tile.getType());
  size_t rank = origin.size();
  origin[rank - 2] = countElements(loc, origin[rank - 2], type.getRows() / pages,
                                   pages == 1 ? getName(0) : StringRef());
  origin[rank - 1] = countElements(loc, origin[rank - 1], type.getCols(), getName(1));
  return origin;
}

Value RoleBuilder::createCursor(LoadGroup &group, StringRef name) {
  Location loc = plan.grid.getLoc();
  auto type = hopper::CursorType::get(builder.getContext(), group.stages);
  return builder.create<hopper::CursorOp>(loc, type, builder.getStringAttr(group.prefix + name));
}

Value RoleBuilder::getPart(Location loc, Value shared, Value row, int64_t rows, Value column,
                           int64_t cols) {
  auto type = cast<hopper::SharedType>(shared.getType());
  auto getType = [&](int64_t partRows, int64_t partCols) {
    return hopper::SharedType::get(builder.getContext(), partRows, partCols, type.getElementType());
  };
  if (rows != type.getRows())
    shared = builder.create<hopper::RowsOp>(loc, getType(rows, type.getCols()), shared, row);
  if (cols != type.getCols())
    shared = builder.create<hopper::ColumnsOp>(loc, getType(rows, cols), shared, column);
  return shared;
}

Value RoleBuilder::takeElementStage(Operation *element, Value cursor) {
  Value ring = buffers.rings.lookup(element);
  auto type = cast<hopper::RingType>(ring.getType());
  auto stage = hopper::SharedType::get(builder.getContext(), type.getRows(), type.getCols(),
                                       type.getElementType());
  return builder.create<hopper::StageOp>(getUnnamedLoc(element->getLoc()), stage, ring, cursor);
}

scf::ForOp RoleBuilder::createLoop(scf::ForOp loop, ValueRange inits) {
  auto copy = builder.create<scf::ForOp>(loop.getLoc(), values.lookup(loop.getLowerBound()),
                                         values.lookup(loop.getUpperBound()),
                                         values.lookup(loop.getStep()), inits);
  copy.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  values.map(loop.getInductionVar(), copy.getInductionVar());
  if (inits.empty())
    builder.setInsertionPoint(copy.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(copy.getBody());
  return copy;
}

scf::IfOp RoleBuilder::createBranch(scf::IfOp branch, function_ref<Type(Value)> getCarriedType,
                                    function_ref<void(Block &)> fillRegion) {
  SmallVector<Type> types;
  SmallVector<Value> carried;
  for (Value result : branch.getResults())
    if (Type type = getCarriedType(result)) {
      types.push_back(type);
      carried.push_back(result);
    }
  bool hasElse = !branch.getElseRegion().empty();
  auto copy = builder.create<scf::IfOp>(branch.getLoc(), types,
                                        values.lookup(branch.getCondition()), hasElse);
  values.map(ValueRange(carried), copy.getResults());
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    // The builder has made the terminator of a branch that gives nothing.
    if (types.empty())
      builder.setInsertionPoint(to.front().getTerminator());
    else
      builder.setInsertionPointToEnd(&to.front());
    fillRegion(from.front());
  }
  return copy;
}

LoadPointIndex::LoadPointIndex(PipelinePlan &plan, std::optional<hopper::RoleKind> reader) {
  for (LoadGroup &group : plan.groups) {
    if (reader && !group.isReadBy(*reader))
      continue;
    for (LoadPoint &loadPoint : group.loadPoints) {
      Entry entry{&group, &loadPoint};
      for (tk::LoadOp load : loadPoint.loads)
        byLoad[load] = entry;
      for (Operation *element : loadPoint.elements)
        byElement[element] = entry;
      if (group.isResident)
        continue;
      byFirstUse[loadPoint.getFirstUse(reader)].push_back(entry);
      byBlock[loadPoint.getBlock()].push_back(entry);
      if (Operation *release = loadPoint.getRelease(reader))
        byRelease[release].push_back(entry);
      else
        byBlockEnd[loadPoint.getBlock()].push_back(entry);
    }
  }
}

hopper::TileLoopOp tkc::buildTileLoop(RoleBuilder &role) {
  tk::GridOp grid = role.plan.grid;
  SmallVector<Value> extents;
  for (Value extent : grid.getExtents())
    extents.push_back(role.values.lookup(extent));
  auto loop = role.builder.create<hopper::TileLoopOp>(grid.getLoc(), extents, grid.getSwizzle(),
                                                      role.plan.isDynamic);
  Block &body = loop.getBody().emplaceBlock();
  for (BlockArgument index : grid.getIndices())
    role.values.map(index, body.addArgument(index.getType(), index.getLoc()));
  role.builder.setInsertionPointToStart(&body);
  return loop;
}

//===----------------------------------------------------------------------===//
// The kernel around the roles
//===----------------------------------------------------------------------===//

/// Scalars that are the same for all tiles leave the grid: both roles then share them. That comes
/// first of all, since the plan names operations at which something happens. Elements of tensors
/// stay: what stands before the roles runs before the kernel before this one has ended.
static void hoistInvariants(tk::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    if (!isa<tk::GridOp, tk::EachOp>(op) && !(isa<scf::ForOp>(op) && touchesTiles(op)))
      return;
    moveLoopInvariantCode(
        {&op->getRegion(0)},
        [](Value value, Region *from) { return !from->isAncestor(value.getParentRegion()); },
        [&](Operation *inner, Region *) {
          bool mustStay = isa<tk::ElementOp>(inner) && !isa<scf::ForOp>(op);
          return isPure(inner) && !touchesTiles(inner) && !mustStay;
        },
        [&](Operation *inner, Region *) { inner->moveBefore(op); });
  });
}

/// "the consumers" or "the consumer" and what they do.
static std::string getConsumers(const PipelinePlan &plan) {
  return plan.distribution.consumers == 1 ? "consumer" : "consumers";
}

static Value allocateRing(OpBuilder &builder, Location loc, StringRef name, int64_t stages,
                          const RingShape &shape, StringRef what = {}, Value over = {}) {
  auto type = hopper::RingType::get(builder.getContext(), stages, shape.rows, shape.cols,
                                    shape.elementType, shape.withOnes);
  return builder.create<hopper::AllocRingOp>(
      loc, type, name, what.empty() ? StringAttr() : builder.getStringAttr(what), IntegerAttr(),
      IntegerAttr(), over);
}

/// "2 consumers x 2 buffers".
static std::string countBuffers(const PipelinePlan &plan, const StagingPlan &staging) {
  int64_t buffers = staging.buffers;
  if (staging.isReducers)
    return std::to_string(buffers) + (buffers == 1 ? " buffer" : " buffers") + " of the reducer";
  std::string owners = plan.distribution.isEachWarp()
                           ? std::to_string(plan.distribution.workers) + " warps"
                           : std::to_string(plan.distribution.consumers) + " " + getConsumers(plan);
  return owners + " x " + std::to_string(buffers) + (buffers == 1 ? " buffer" : " buffers");
}

static void allocateRings(OpBuilder &builder, PipelinePlan &plan, PipelineBuffers &buffers) {
  auto allocateLoads = [&](LoadGroup &group) {
    for (unsigned index = 0; index < group.getLoads().size(); ++index) {
      tk::LoadOp load = group.getLoads()[index];
      Value ring = allocateRing(builder, load.getLoc(), getLoadName(load), group.stages,
                                plan.getRingShape(load), /*what=*/{},
                                group.over ? buffers.rings.lookup(group.over) : Value());
      if (load->hasAttr(isPartAttrName))
        ring.getDefiningOp()->setAttr(isPartAttrName, builder.getUnitAttr());
      for (LoadPoint &loadPoint : group.loadPoints)
        buffers.rings[loadPoint.loads[index]] = ring;
    }
  };
  for (LoadGroup &group : plan.groups)
    if (!group.over)
      allocateLoads(group);
  for (LoadGroup &group : plan.groups)
    for (Operation *element : group.getElements())
      buffers.rings[element] = allocateRing(
          builder, getUnnamedLoc(element->getLoc()), getElementName(element), group.stages,
          getElementShape(element),
          "one element at the front of each of " + std::to_string(group.stages) + " stages");
  auto allocateStaging = [&](StagingPlan &staging) {
    buffers.staging[&staging] = allocateRing(
        builder, getUnnamedLoc(staging.stores.front().getLoc()), staging.name,
        plan.getOwners(staging) * staging.buffers,
        {plan.getStagingRows(), staging.cols, staging.elementType}, countBuffers(plan, staging),
        staging.over ? buffers.rings.lookup(staging.over) : Value());
  };
  for (StagingPlan &staging : plan.staging)
    if (!isa_and_nonnull<tk::AllocOp>(staging.over))
      allocateStaging(staging);
  for (tk::AllocOp alloc : plan.scratch) {
    StringRef name = getSourceName(alloc.getLoc());
    int64_t copies = plan.getScratchCopies(alloc);
    std::string kind = isa<tk::TileVectorType>(alloc.getType()) ? "vector" : "tile";
    buffers.rings[alloc] = allocateRing(builder, alloc.getLoc(), name.empty() ? "scratch" : name,
                                        copies, plan.getRingShape(alloc),
                                        "written by the consumers: " + std::to_string(copies) +
                                            " " + kind + (copies == 1 ? "" : "s"));
  }
  for (HandOver &ring : plan.handOvers)
    for (tk::AllocOp alloc : ring.allocs) {
      bool isScanners = ring.writer == hopper::RoleKind::Scanner;
      StringRef vector = getSourceName(alloc.getLoc());
      std::string name = isScanners ? vector.str() : ring.name;
      buffers.rings[alloc] =
          allocateRing(builder, alloc.getLoc(), name + "_ring", ring.stages,
                       plan.getRingShape(alloc, ring.copies),
                       std::to_string(ring.stages) + (ring.stages == 1 ? " stage" : " stages") +
                           ", written by " + (isScanners ? "scanner warps," : "the consumers,"));
    }
  for (LoadGroup &group : plan.groups)
    if (group.over)
      allocateLoads(group);
  for (StagingPlan &staging : plan.staging)
    if (isa_and_nonnull<tk::AllocOp>(staging.over))
      allocateStaging(staging);
  if (plan.crossWarpScratchBytes)
    buffers.crossWarpScratch = allocateRing(
        builder, getUnnamedLoc(plan.grid.getLoc()), "cross_warp_scratch",
        plan.getCrossWarpScratchCopies(), {1, plan.crossWarpScratchBytes / 4, builder.getF32Type()},
        "cross-warp reduction scratch");
}

/// Who completes a phase of a full barrier: who loads arrives, and so does each element that it
/// copies.
static std::string getFullArrivals(const PipelinePlan &plan, LoadGroup &group) {
  size_t arrivals = 1 + group.getElements().size();
  std::string times = arrivals == 1   ? ""
                      : arrivals == 2 ? " twice"
                                      : " " + std::to_string(arrivals) + " times";
  return (plan.reducerLoads ? "reducer's leader" : "producer") + times + ", and " +
         std::to_string(plan.getStageBytes(group)) + " TMA bytes";
}

/// The two mbarriers of each stage that one role hands over to another.
static void allocateHandOver(OpBuilder &builder, PipelinePlan &plan, PipelineBuffers &buffers) {
  constexpr int64_t warps = hopper::warpgroupWarps;
  for (HandOver &ring : plan.handOvers) {
    auto create = [&](StringRef name, int64_t arrivals, StringRef arrives, StringRef waits,
                      StringRef event) -> Value {
      bool isOne = ring.reader == hopper::RoleKind::Reducer;
      return builder.create<hopper::AllocBarrierOp>(
          getUnnamedLoc(ring.allocs.front().getLoc()),
          hopper::BarrierType::get(builder.getContext(), ring.stages), ring.name + name.str(),
          arrivals, builder.getStringAttr(arrives), builder.getStringAttr(waits),
          builder.getStringAttr(ring.name + " of this stage " + (isOne ? "has" : "have") +
                                " been " + event),
          IntegerAttr());
    };
    if (ring.writer == hopper::RoleKind::Scanner) {
      // Of several reducers, one reads a stage.
      bool isConsumers = plan.getFirstRead(ring, hopper::RoleKind::Consumer),
           isReducers = plan.getFirstRead(ring, hopper::RoleKind::Reducer);
      std::string readers = isConsumers && isReducers ? getConsumers(plan) + " and reducer"
                            : isReducers              ? "reducer"
                                                      : getConsumers(plan);
      int64_t count = (isConsumers ? plan.distribution.consumers : 0) + (isReducers ? 1 : 0);
      buffers.handedOver[&ring] =
          create("_full", plan.scannerWarps, "one lane of each scanner warp", readers, "written");
      buffers.taken[&ring] =
          create("_empty", count * warps,
                 isConsumers && isReducers ? "one lane of each consumer and reducer warp"
                 : isReducers              ? "one lane of each reducer warp"
                                           : "one lane of each consumer warp",
                 "scanner", "read");
      continue;
    }
    buffers.handedOver[&ring] = create("_full", plan.distribution.consumers * warps,
                                       "one lane of each consumer warp", "reducer", "written");
    buffers.taken[&ring] =
        create("_empty", warps, "one lane of each reducer warp", getConsumers(plan), "read");
  }
}

/// Who waits for a load: "consumers", "reducer", "consumers and reducer".
static std::string getReaders(const PipelinePlan &plan, LoadGroup &group) {
  if (group.isReadBy(hopper::RoleKind::Scanner))
    return group.isReadBy(hopper::RoleKind::Consumer) ? "scanner and " + getConsumers(plan)
                                                      : "scanner";
  if (!group.isReadBy(hopper::RoleKind::Reducer))
    return getConsumers(plan);
  return group.isReadBy(hopper::RoleKind::Consumer) ? getConsumers(plan) + " and reducer"
                                                    : "reducer";
}

static std::string getEmptyArrivals(const PipelinePlan &plan, LoadGroup &group) {
  if (plan.distribution.hasPingPongTiles)
    return "one lane of each warp of the tile's consumer";
  if (group.isReadBy(hopper::RoleKind::Scanner))
    return group.isReadBy(hopper::RoleKind::Consumer) ? "one lane of each scanner and consumer warp"
                                                      : "one lane of each scanner warp";
  if (!group.isReadBy(hopper::RoleKind::Reducer))
    return "one lane of each consumer warp";
  return group.isReadBy(hopper::RoleKind::Consumer) ? "one lane of each consumer and reducer warp"
                                                    : "one lane of each reducer warp";
}

static void allocateBarriers(OpBuilder &builder, PipelinePlan &plan, PipelineBuffers &buffers) {
  for (LoadGroup &group : plan.groups) {
    Location loc =
        getUnnamedLoc(group.loop ? group.loop.getLoc() : group.getLoads().front().getLoc());
    auto type = hopper::BarrierType::get(builder.getContext(), group.stages);
    std::string tilesHave = group.getTilesHave(/*withElements=*/false); // a table is narrow
    auto create = [&](StringRef name, int64_t arrivals, const Twine &arrives, StringRef waits,
                      StringRef event) {
      return builder.create<hopper::AllocBarrierOp>(
          loc, type, group.prefix + name.str(), arrivals, builder.getStringAttr(arrives),
          builder.getStringAttr(waits), builder.getStringAttr(tilesHave + event), IntegerAttr());
    };
    buffers.full[&group] = create("full", 1 + group.getElements().size(),
                                  getFullArrivals(plan, group), getReaders(plan, group), " landed");
    if (group.isResident || group.isFilledOnce)
      continue;
    buffers.empty[&group] =
        create("empty", plan.getReaderWarps(group), getEmptyArrivals(plan, group),
               plan.reducerLoads ? "reducer" : "producer", " been read");
  }
  allocateHandOver(builder, plan, buffers);
  for (LoadGroup &group : plan.groups)
    for (tk::LoadOp load : group.getLoads())
      if (Value ring = buffers.rings.lookup(load);
          cast<hopper::RingType>(ring.getType()).getWithOnes())
        builder.create<hopper::FillOnesOp>(ring.getLoc(), ring);
  for (LoadGroup &group : plan.groups)
    for (Value barrier : {buffers.full.lookup(&group), buffers.empty.lookup(&group)})
      if (barrier)
        builder.create<hopper::InitBarrierOp>(barrier.getLoc(), barrier);
  for (HandOver &ring : plan.handOvers)
    for (Value barrier : {buffers.handedOver.lookup(&ring), buffers.taken.lookup(&ring)})
      builder.create<hopper::InitBarrierOp>(barrier.getLoc(), barrier);
}

/// True if the block computes one tile and every load has a place of its own.
static bool waitsForNobody(PipelinePlan &plan) {
  return !plan.kernel.getPersistent().value_or(true) && plan.handOvers.empty() &&
         llvm::all_of(plan.groups,
                      [](LoadGroup &group) { return group.isResident || group.isFilledOnce; });
}

/// A kernel that is in no module yet.
static hopper::KernelOp build(PipelinePlan &plan, ArrayAttr equalExtents) {
  tk::KernelOp source = plan.kernel;
  OpBuilder builder(source.getContext());
  auto kernel = builder.create<hopper::KernelOp>(
      source.getLoc(), source.getSymName(), source.getFunctionType(), source.getParametersAttr(),
      equalExtents, source.getArgAttrsAttr());
  kernel.setPersistentAttr(source.getPersistentAttr());
  kernel.setOrderAttr(source.getOrderAttr());
  kernel.setClusterAttr(source.getClusterAttr());
  kernel.setPdlAttr(source.getPdlAttr());
  for (StringRef name : {tk::efficiencyAttrName, tk::functionAttrName, tk::prefetchAttrName})
    if (Attribute value = source->getAttr(name))
      kernel->setAttr(name, value);
  if (plan.blocksPerSm > 1)
    kernel->setAttr(hopper::residentBlocksAttrName, builder.getI64IntegerAttr(plan.blocksPerSm));
  tk::copyParameters(source, kernel);
  Block &body = kernel.getBody().emplaceBlock();
  IRMapping values;
  for (BlockArgument argument : source.getBody().getArguments())
    values.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToStart(&body);
  for (Operation &op : source.getBody().front())
    if (!touchesTiles(&op))
      builder.clone(op, values);

  PipelineBuffers buffers;
  allocateRings(builder, plan, buffers);
  createTileScheduler(builder, plan, values);
  allocateBarriers(builder, plan, buffers);
  Location loc = getUnnamedLoc(plan.grid.getLoc());
  if (source.getPdl().value_or(true))
    builder.create<hopper::AllowDependentsOp>(
        loc, "programmatic dependent launch: the next kernel may set up while this one runs");
  // The user's choice, or 0: tk-allocate-registers chooses.
  std::optional<ArrayRef<int64_t>> registers = source.getRegisters();
  loc = getUnnamedLoc(source.getLoc()); // a role is the whole kernel, seen from some warpgroups
  if (!plan.groups.empty() && !plan.reducerLoads) {
    auto role = builder.create<hopper::RoleOp>(loc, hopper::RoleKind::Producer, /*warpgroups=*/1,
                                               registers ? (*registers)[0] : 0);
    role.getBody().emplaceBlock();
    buildProducer(builder, plan, buffers, values, role);
    if (waitsForNobody(plan))
      role->setAttr(hopper::joinedAttrName, builder.getUnitAttr());
  }
  if (plan.scannerWarps) {
    auto scanner = builder.create<hopper::RoleOp>(loc, hopper::RoleKind::Scanner, /*warpgroups=*/1,
                                                  /*registers=*/0);
    scanner.setWarps(plan.scannerWarps);
    scanner.getBody().emplaceBlock().addArgument(
        builder.getI32Type(), getNamedLoc(plan.each ? "consumer" : "scanner", loc));
    buildConsumer(builder, plan, buffers, values, scanner);
  }
  auto role =
      builder.create<hopper::RoleOp>(loc, hopper::RoleKind::Consumer, plan.distribution.consumers,
                                     registers ? (*registers)[1] : 0);
  if (plan.distribution.worker)
    role.setEach(plan.distribution.worker);
  role.getBody().emplaceBlock().addArgument(
      builder.getI32Type(), getNamedLoc(plan.distribution.isEachWarp() ? "warp" : "consumer", loc));
  buildConsumer(builder, plan, buffers, values, role);
  if (plan.hasReducer()) {
    auto reducer = builder.create<hopper::RoleOp>(loc, hopper::RoleKind::Reducer, plan.reducers,
                                                  /*registers=*/0);
    reducer.getBody().emplaceBlock().addArgument(builder.getI32Type(), getNamedLoc("reducer", loc));
    buildConsumer(builder, plan, buffers, values, reducer);
  }
  // All roles have cloned every scalar.
  eraseUnread(kernel);
  return kernel;
}

static FailureOr<hopper::KernelOp> lower(tk::KernelOp source, int64_t maxStages) {
  hoistInvariants(source);
  markResidentLoads(source);
  FailureOr<PipelinePlan> plan = planPipeline(source, maxStages);
  if (failed(plan))
    return failure();
  FailureOr<ArrayAttr> equalExtents = source->hasAttr(equalExtentsAttrName)
                                          ? source->getAttrOfType<ArrayAttr>(equalExtentsAttrName)
                                          : getEqualExtents(source);
  if (failed(equalExtents))
    return failure();
  return build(*plan, *equalExtents);
}

namespace {
struct InsertPipeline : tkc::impl::InsertPipelineBase<InsertPipeline> {
  using InsertPipelineBase::InsertPipelineBase;

  void runOnOperation() override {
    if (failed(verify(getOperation()))) // as the passes on tk have left it
      return signalPassFailure();
    std::mutex mutex;
    SmallVector<std::pair<tk::KernelOp, hopper::KernelOp>> built;
    auto lowerKernel = [&](tk::KernelOp source) -> LogicalResult {
      FailureOr<hopper::KernelOp> kernel = lower(source, maxStages);
      if (failed(kernel))
        return failure();
      std::lock_guard lock(mutex);
      built.emplace_back(source, *kernel);
      return success();
    };
    if (failed(forEachKernel<tk::KernelOp>(getOperation(), lowerKernel)))
      signalPassFailure();
    for (auto [source, kernel] : built) { // the list of kernels is that of all threads
      OpBuilder(source).insert(kernel);
      source.erase();
    }
  }
};
} // namespace
