//===- StaticTimeline.cpp - When the roles of a kernel do what ------------===//
//
// In two steps: a walk lists the actions of one thread of control, with
// loops and branches decided (nothing in them depends on time); then the lists are
// played against each other.
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/StaticTimeline.h"

#include "analysis/cost/CostModel.h"
#include "analysis/cost/RoleWork.h"
#include "dialect/hopper/BlockShape.h"
#include "dialect/hopper/HopperElementOps.h"
#include "dialect/hopper/HopperTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "target/HopperModel.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <optional>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

static constexpr int64_t maxSteps = 20000, maxExtent = 1 << 14;

//===----------------------------------------------------------------------===//
// Actions of one thread of control
//===----------------------------------------------------------------------===//

namespace {
struct Step {
  Operation *op;
  int64_t iteration; // -1: outside of the loop with the MMAs
  int64_t position;  // of the cursor that the op names
};

class Walk {
public:
  Walk(int64_t extent, int64_t fallbackTrips, Value consumerIndex, int64_t consumer)
      : extent(extent), fallbackTrips(fallbackTrips) {
    if (consumerIndex)
      numbers[consumerIndex] = consumer;
  }
  void run(Block &block);

  std::vector<Step> steps;
  int64_t iterations = 0; // of loops with MMAs or loads

private:
  std::optional<int64_t> number(Value value);
  std::optional<int64_t> compute(Operation *op);
  void run(scf::ForOp loop);
  void run(scf::IfOp branch);
  void bind(ValueRange to, ValueRange from);

  int64_t extent, fallbackTrips;
  int64_t iteration = -1;
  llvm::DenseMap<Value, int64_t> numbers;
  llvm::DenseMap<Value, int64_t> cursors;
};
} // namespace

std::optional<int64_t> Walk::number(Value value) {
  if (auto found = numbers.find(value); found != numbers.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return integer.getType().isInteger(1) ? int64_t(integer.getValue().getBoolValue())
                                            : integer.getInt();
    return std::nullopt;
  }
  if (isa<tk::ExtentOp>(op))
    return extent;
  std::optional<int64_t> result = compute(op);
  return result;
}

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
  case P::ult:
    return a < b;
  case P::sle:
  case P::ule:
    return a <= b;
  case P::sgt:
  case P::ugt:
    return a > b;
  case P::sge:
  case P::uge:
    return a >= b;
  }
  return false;
}

std::optional<int64_t> Walk::compute(Operation *op) {
  if (op->getNumResults() != 1 || !isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  SmallVector<int64_t, 3> in;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = number(operand);
    if (!known)
      return std::nullopt;
    in.push_back(*known);
  }
  bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
                     arith::RemSIOp, arith::RemUIOp>(op);
  if (divides && in[1] == 0)
    return std::nullopt;
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return in[0] + in[1]; })
      .Case([&](arith::SubIOp) { return in[0] - in[1]; })
      .Case([&](arith::MulIOp) { return in[0] * in[1]; })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return in[0] / in[1]; })
      .Case([&](arith::CeilDivSIOp) { return llvm::divideCeilSigned(in[0], in[1]); })
      .Case([&](arith::FloorDivSIOp) { return llvm::divideFloorSigned(in[0], in[1]); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return in[0] % in[1]; })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) { return std::min(in[0], in[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return std::max(in[0], in[1]); })
      .Case([&](arith::AndIOp) { return in[0] & in[1]; })
      .Case([&](arith::OrIOp) { return in[0] | in[1]; })
      .Case([&](arith::XOrIOp) { return in[0] ^ in[1]; })
      .Case([&](arith::SelectOp) { return in[0] ? in[1] : in[2]; })
      .Case([&](arith::CmpIOp cmp) { return int64_t(compare(cmp.getPredicate(), in[0], in[1])); })
      .Default([](Operation *) { return Result(); });
}

void Walk::bind(ValueRange to, ValueRange from) {
  SmallVector<std::optional<int64_t>> known;
  for (Value value : from)
    known.push_back(number(value));
  for (auto [value, number] : llvm::zip(to, known)) {
    numbers.erase(value);
    if (number)
      numbers[value] = *number;
  }
}

/// Whether the roles meet in the loop: it has MMAs, or loads for them.
static bool isMainLoop(scf::ForOp loop) {
  return !loop->hasAttr(unrollAttrName) && llvm::any_of(*loop.getBody(), [](Operation &op) {
    return isa<WgmmaOp, MmaSyncOp>(op) || getTileCompletedBy(&op, Completion::Bytes);
  });
}

void Walk::run(scf::ForOp loop) {
  int64_t lower = number(loop.getLowerBound()).value_or(0);
  int64_t step = std::max<int64_t>(1, number(loop.getStep()).value_or(1));
  bool isTiles = bool(getTileShare(loop));
  int64_t upper =
      isTiles ? lower + step : number(loop.getUpperBound()).value_or(lower + fallbackTrips * step);
  bind(loop.getRegionIterArgs(), loop.getInitArgs());
  bool isMain = isMainLoop(loop);
  int64_t outer = iteration;
  for (int64_t i = lower; i < upper && int64_t(steps.size()) < maxSteps; i += step) {
    if (isMain)
      iteration = iterations++;
    numbers[loop.getInductionVar()] = i;
    run(*loop.getBody());
    bind(loop.getRegionIterArgs(), loop.getBody()->getTerminator()->getOperands());
  }
  iteration = outer;
  bind(loop.getResults(), loop.getRegionIterArgs());
}

/// Other unknown conditions are taken to hold.
void Walk::run(scf::IfOp branch) {
  int64_t taken = number(branch.getCondition()).value_or(isRarelyTaken(branch) ? 0 : 1);
  Region &region = taken ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return;
  run(region.front());
  bind(branch.getResults(), region.front().getTerminator()->getOperands());
}

void Walk::run(Block &block) {
  for (Operation &op : block) {
    if (int64_t(steps.size()) >= maxSteps)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      run(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      run(branch);
    } else if (auto tiles = dyn_cast<TileLoopOp>(op)) {
      // The last tile: under a causal mask the one with most to do.
      for (auto [index, end] : llvm::zip(tiles.getIndices(), tiles.getExtents()))
        numbers[index] = std::max<int64_t>(0, number(end).value_or(1) - 1);
      run(tiles.getBody().front());
    } else if (auto advance = dyn_cast<AdvanceOp>(op)) {
      cursors[advance.getCursor()] += advance.getBy() ? number(advance.getBy()).value_or(1) : 1;
    } else {
      auto user = dyn_cast<BarrierUse>(op);
      steps.push_back({&op, iteration, user ? cursors.lookup(user.getCursor()) : 0});
    }
  }
}

//===----------------------------------------------------------------------===//
// Playing them
//===----------------------------------------------------------------------===//

/// The use of a stage that the arrivals belong to which a step makes or waits for; -1 if there are
/// none.
static int64_t positionAtBarrier(const Step &step) {
  auto wait = dyn_cast<WaitBarrierOp>(step.op);
  if (wait && wait.getPrevious())
    return std::max<int64_t>(-1, step.position - wait.getBarrier().getType().getStages());
  return wait || isa<ArriveOp, ExpectBytesOp>(step.op) ? step.position : -1;
}

namespace {
/// One stage of an mbarrier.
struct Stage {
  int64_t arrivals = 0, bytes = 0;
  double last = 0;               // the time of the last arrival or landing so far
  std::vector<double> completed; // the times of its phases
};

struct Thread {
  unsigned row;
  int64_t consumer;  // -1: a producer or scanner
  int64_t warps = 4; // that arrive at barriers
  std::vector<Step> steps;
  size_t next = 0;
  double now = 0;
  std::vector<double> groups; // ends of committed groups of MMAs
  double mmaEnd = 0;          // of those that are not committed yet
  std::vector<double> stores;
  bool isDone() const { return next == steps.size(); }
};

class Play {
public:
  Play(std::vector<Thread> threads, StaticTimeline &timeline)
      : threads(std::move(threads)), timeline(timeline) {}
  void run();

private:
  /// When the next step can begin; none if that is not known yet.
  std::optional<double> ready(Thread &thread);
  void step(Thread &thread, double begin);
  void execute(Thread &thread, const Step &step);
  void load(Thread &thread, const Step &step);
  void work(Thread &thread, const Step &step);
  Stage &stageOf(Value barrier, int64_t position);
  void settle(Value barrier, Stage &stage);
  double use(double &free, double from, double cycles) {
    free = std::max(free, from) + cycles;
    return free;
  }
  void span(unsigned row, SpanKind kind, double begin, double end, const Step &step) {
    if (end - begin >= 1 || kind == SpanKind::Arrive)
      timeline.spans.push_back(
          {row, kind, begin, end, step.op, step.iteration, positionAtBarrier(step)});
  }

  std::vector<Thread> threads;
  StaticTimeline &timeline;
  llvm::DenseMap<Value, std::vector<Stage>> barriers;
  llvm::DenseMap<int64_t, std::vector<double>>
      pingPong; // arrivals at ping-pong barriers, by warpgroup
  double l2 = 0, tensorCores = 0, pipes = 0, stores = 0;
};
} // namespace

Stage &Play::stageOf(Value barrier, int64_t position) {
  int64_t stages = cast<BarrierType>(barrier.getType()).getStages();
  std::vector<Stage> &all = barriers[barrier];
  all.resize(stages);
  return all[position % stages];
}

/// Completes the phase if everybody has come.
void Play::settle(Value barrier, Stage &stage) {
  auto alloc = barrier.getDefiningOp<AllocBarrierOp>();
  if (!alloc || stage.arrivals < int64_t(alloc.getArrivals()) || stage.bytes > 0)
    return;
  stage.completed.push_back(stage.last);
  stage.arrivals = stage.bytes = 0;
}

std::optional<double> Play::ready(Thread &thread) {
  const Step &step = thread.steps[thread.next];
  if (auto wait = dyn_cast<WaitBarrierOp>(step.op)) {
    Value barrier = wait.getBarrier();
    int64_t phase = step.position / cast<BarrierType>(barrier.getType()).getStages();
    phase -= wait.getPrevious();
    Stage &stage = stageOf(barrier, step.position);
    double polled = thread.now + barrierWaitCycles;
    if (phase < 0)
      return polled;
    if (int64_t(stage.completed.size()) <= phase)
      return std::nullopt;
    return std::max(polled, stage.completed[phase]);
  }
  if (auto wait = dyn_cast<WaitWgmmaOp>(step.op)) {
    int64_t over = int64_t(thread.groups.size()) - int64_t(wait.getPending());
    return over > 0 ? std::max(thread.now, thread.groups[over - 1]) : thread.now;
  }
  if (auto wait = dyn_cast<WaitStoresReadOp>(step.op)) {
    int64_t over = int64_t(thread.stores.size()) - int64_t(wait.getPending());
    return over > 0 ? std::max(thread.now, thread.stores[over - 1]) : thread.now;
  }
  if (isa<PingPongAcquireOp>(step.op)) {
    std::vector<double> &arrivals = pingPong[thread.consumer];
    return arrivals.empty() ? std::optional<double>() : std::max(thread.now, arrivals.front());
  }
  return thread.now;
}

void Play::work(Thread &thread, const Step &step) {
  WorkCounts counts;
  countWork(step.op, counts);
  if (double elements = getElementwiseCycles(counts); elements > 0) {
    double end = use(pipes, thread.now, elements);
    span(thread.row, SpanKind::Wait, thread.now, end - elements, step); // for the other warpgroup
    span(thread.row, SpanKind::Elementwise, end - elements, end, step);
    thread.now = end;
  } else if (isa<StoreFragmentOp, LoadFragmentOp>(step.op)) {
    Type type = isa<StoreFragmentOp>(step.op) ? step.op->getOperand(0).getType()
                                              : step.op->getResult(0).getType();
    if (auto fragment = dyn_cast<FragmentType>(type)) {
      WorkCounts moved;
      moved.sharedBytes = fragment.getRows() * fragment.getCols() *
                          tk::getStorageBits(fragment.getElementType()) / 8;
      double cycles = getPartCycles(moved).sharedMemory;
      span(thread.row, SpanKind::Memory, thread.now, thread.now + cycles, step);
      thread.now += cycles;
    }
  }
}

/// A copy that counts its bytes at an mbarrier.
void Play::load(Thread &thread, const Step &step) {
  WorkCounts counts;
  countWork(step.op, counts);
  unsigned l2Row = timeline.rows.size() - 2;
  double cycles = getArrivalCycles(counts);
  double end = use(l2, thread.now, cycles);
  span(l2Row, SpanKind::Load, end - cycles, end, step);
  span(thread.row, SpanKind::Issue, thread.now, thread.now + issueCycles, step);
  thread.now += issueCycles;
  Value barrier = cast<BarrierUse>(step.op).getBarrier();
  Stage &stage = stageOf(barrier, step.position);
  stage.bytes -= counts.loadedBytes;
  stage.last = std::max(stage.last, end + loadLatency);
  settle(barrier, stage);
}

void Play::step(Thread &thread, double begin) {
  const Step &step = thread.steps[thread.next++];
  span(thread.row, SpanKind::Wait, thread.now, begin, step);
  double reached = thread.now;
  thread.now = begin;
  execute(thread, step);
  timeline.end = std::max(timeline.end, thread.now);
  timeline.steps.push_back({thread.row, step.op, reached, thread.now, step.iteration});
}

void Play::execute(Thread &thread, const Step &step) {
  unsigned mmaRow = timeline.rows.size() - 1;
  WorkCounts counts;
  if (getTileCompletedBy(step.op, Completion::Bytes))
    return load(thread, step);
  if (getTileCompletedBy(step.op, Completion::StoreGroup)) {
    countWork(step.op, counts);
    thread.stores.push_back(use(stores, thread.now, getStoreCycles(counts)));
    return;
  }
  llvm::TypeSwitch<Operation *>(step.op)
      .Case([&](ExpectBytesOp expect) {
        Stage &stage = stageOf(expect.getBarrier(), step.position);
        ++stage.arrivals;
        stage.bytes += expect.getBytes();
        span(thread.row, SpanKind::Arrive, thread.now, thread.now, step);
        stage.last = std::max(stage.last, thread.now);
        settle(expect.getBarrier(), stage);
      })
      .Case([&](ArriveOp arrive) {
        Stage &stage = stageOf(arrive.getBarrier(), step.position);
        // One lane of each warp.
        stage.arrivals += thread.warps;
        span(thread.row, SpanKind::Arrive, thread.now, thread.now, step);
        stage.last = std::max(stage.last, thread.now);
        settle(arrive.getBarrier(), stage);
      })
      .Case<WgmmaOp, MmaSyncOp>([&](auto) {
        countWork(step.op, counts);
        const PartCycles parts = getPartCycles(counts);
        double cycles = std::max(parts.tensorCores, parts.sharedMemory / 2);
        double end = use(tensorCores, thread.now, cycles);
        span(mmaRow, SpanKind::Mma, end - cycles, end, step);
        span(thread.row, SpanKind::Own, end - cycles, end, step);
        span(thread.row, SpanKind::Issue, thread.now, thread.now + issueCycles, step);
        thread.now += issueCycles;
        thread.mmaEnd = end;
        if (isa<MmaSyncOp>(step.op))
          thread.now = std::max(thread.now, end);
      })
      .Case([&](CommitWgmmaOp) { thread.groups.push_back(thread.mmaEnd); })
      .Case<PingPongBeginOp>([&](auto) { pingPong[0].push_back(thread.now); })
      .Case<PingPongAcquireOp>([&](auto) {
        std::vector<double> &arrivals = pingPong[thread.consumer];
        if (!arrivals.empty())
          arrivals.erase(arrivals.begin());
      })
      .Case<PingPongReleaseOp>([&](auto) {
        int64_t consumers = llvm::count_if(threads, [](Thread &t) { return t.consumer >= 0; });
        pingPong[(thread.consumer + 1) % consumers].push_back(thread.now);
      })
      .Default([&](Operation *) { work(thread, step); });
}

void Play::run() {
  while (true) {
    Thread *first = nullptr, *stuck = nullptr;
    double begin = 0;
    for (Thread &thread : threads) {
      if (thread.isDone())
        continue;
      if (std::optional<double> time = ready(thread)) {
        if (!first || *time < begin) {
          first = &thread;
          begin = *time;
        }
      } else if (!stuck || thread.now < stuck->now) {
        stuck = &thread;
      }
    }
    if (!first && !stuck)
      return;
    if (first)
      step(*first, begin);
    else // an arrival that depends on data that is not known
      step(*stuck, stuck->now);
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static std::vector<Thread> makeThreads(KernelOp kernel, int64_t extent, int64_t fallbackTrips,
                                       StaticTimeline &timeline, int64_t &iterations) {
  std::vector<Thread> threads;
  timeline.rows.clear();
  iterations = 0;
  for (auto role : kernel.getBody().front().getOps<RoleOp>()) {
    int64_t count = role.getKind() == RoleKind::Producer ? 1 : role.getWarpgroups();
    for (int64_t i = 0; i < count; ++i) {
      Block &body = role.getBody().front();
      Walk walk(extent, fallbackTrips, body.getNumArguments() ? body.getArgument(0) : Value(), i);
      walk.run(body);
      if (computesOnTiles(role))
        iterations = std::max(iterations, walk.iterations);
      Thread &thread = threads.emplace_back();
      thread.row = timeline.rows.size();
      thread.consumer = computesOnTiles(role) ? i : -1;
      thread.warps = isScanner(role) ? role.getWarps() : 4;
      thread.steps = std::move(walk.steps);
      timeline.rows.push_back(stringifyRoleKind(role.getKind()).str() +
                              (count > 1 ? " " + std::to_string(i) : ""));
    }
  }
  timeline.rows.push_back("L2");
  timeline.rows.push_back("tensor cores");
  timeline.extent = extent;
  return threads;
}

StaticTimeline tkc::playKernel(KernelOp kernel, int64_t iterations) {
  StaticTimeline timeline;
  std::vector<Thread> threads;
  int64_t most = 0, before = -1;
  for (int64_t extent = 256; extent <= maxExtent; extent *= 2) {
    threads = makeThreads(kernel, extent, iterations, timeline, most);
    if (most >= iterations || (most == before && extent >= 4096))
      break;
    before = most;
  }
  Play(std::move(threads), timeline).run();
  return timeline;
}
