//===- TestAnalyses.cpp - Passes that print what an analysis says ---------===//
//
// One pass per analysis. Each answers with remarks at the operations it is
// about, so that a test can expect them in the line that causes them.
//
//===----------------------------------------------------------------------===//
#include "analysis/ExtentEquality.h"
#include "analysis/TileNames.h"
#include "analysis/TripCount.h"
#include "analysis/cost/StaticTimeline.h"
#include "analysis/hazards/BankConflicts.h"
#include "analysis/hazards/Hazards.h"
#include "analysis/registers/RegisterPrediction.h"
#include "analysis/registers/TileRegisters.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tkc;

namespace {
template <typename Derived> struct TestPass : PassWrapper<Derived, OperationPass<>> {};

struct TestHazards : TestPass<TestHazards> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestHazards)
  StringRef getArgument() const final { return "test-hazards"; }

  static StringRef spell(HazardKind kind) {
    switch (kind) {
    case HazardKind::MmaInFlight:
      return "MMA in flight";
    case HazardKind::MmaOpen:
      return "MMA open";
    case HazardKind::RegistersTouched:
      return "registers touched";
    case HazardKind::StoreReading:
      return "store reading";
    case HazardKind::FreedUnknown:
      return "freed unknown";
    case HazardKind::WriteUnfenced:
      return "write unfenced";
    case HazardKind::ReadUnfenced:
      return "read unfenced";
    case HazardKind::WriteUnsynced:
      return "write unsynced";
    case HazardKind::InitUnfenced:
      return "init unfenced";
    case HazardKind::InitUnsynced:
      return "init unsynced";
    case HazardKind::GridUnwaited:
      return "grid unwaited";
    }
    return "";
  }

  void runOnOperation() override {
    getOperation()->walk([](hopper::KernelOp kernel) {
      for (const Hazard &hazard : findHazards(kernel))
        hazard.op->emitRemark() << spell(hazard.kind) << ", pending " << hazard.pending
                                << (hazard.isFromBeforeLoop ? ", from before" : "")
                                << (hazard.isAcrossWarpgroups ? ", across warpgroups" : "");
    });
  }
};

struct TestTileRegisters : TestPass<TestTileRegisters> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTileRegisters)
  StringRef getArgument() const final { return "test-tile-registers"; }

  void runOnOperation() override {
    getOperation()->walk([](tk::KernelOp kernel) {
      TileRegisters registers(kernel, kernel.getConsumers().value_or(1));
      kernel.walk([&](Operation *op) {
        if (op == kernel)
          return;
        TilePressure pressure = registers.getPressure(op);
        if (!pressure.registers)
          return;
        InFlightDiagnostic remark = op->emitRemark() << pressure.registers << ":";
        for (Value value : pressure.alive)
          remark << " " << quoteTileName(value);
      });
    });
  }
};

struct TestRegisterPrediction : TestPass<TestRegisterPrediction> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestRegisterPrediction)
  StringRef getArgument() const final { return "test-register-prediction"; }

  void runOnOperation() override {
    getOperation()->walk([](hopper::RoleOp role) {
      RegisterPrediction prediction = predictRegisters(role);
      role.emitRemark() << "expects " << prediction.expected << ", at least " << prediction.least
                        << ", has enough with " << prediction.most;
      if (prediction.op)
        prediction.op->emitRemark() << "the most";
    });
  }
};

struct TestStaticTimeline : TestPass<TestStaticTimeline> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestStaticTimeline)
  StringRef getArgument() const final { return "test-static-timeline"; }

  void runOnOperation() override {
    static constexpr StringLiteral kinds[] = {"starts", "loads", "multiplies", "computes",
                                              "moves",  "waits", "has an MMA", "arrives"};
    getOperation()->walk([](hopper::KernelOp kernel) {
      StaticTimeline timeline = playKernel(kernel, /*iterations=*/8);
      for (const TimelineSpan &span : timeline.spans)
        span.op->emitRemark() << timeline.rows[span.row] << " " << kinds[int(span.kind)] << " from "
                              << int64_t(span.begin) << " to " << int64_t(span.end)
                              << ", iteration " << span.iteration;
    });
  }
};

struct TestTripCount : TestPass<TestTripCount> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTripCount)
  StringRef getArgument() const final { return "test-trip-count"; }

  void runOnOperation() override {
    getOperation()->walk([](tk::KernelOp kernel) {
      TripCount tripCount(kernel);
      kernel.walk([&](scf::ForOp loop) {
        loop.emitRemark() << (tripCount.isAtLeastOne(loop) ? "runs" : "may not run");
      });
    });
  }
};

struct TestExtentEquality : TestPass<TestExtentEquality> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestExtentEquality)
  StringRef getArgument() const final { return "test-extent-equality"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<hopper::HopperDialect>();
  }

  void runOnOperation() override {
    getOperation()->walk([&](tk::KernelOp kernel) {
      FailureOr<ArrayAttr> extents = getEqualExtents(kernel);
      if (failed(extents))
        return signalPassFailure();
      for (Attribute pair : *extents)
        kernel.emitRemark() << pair;
    });
  }
};

struct TestBankConflicts : TestPass<TestBankConflicts> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestBankConflicts)
  StringRef getArgument() const final { return "test-bank-conflicts"; }

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      for (const BankConflictAnalysis &access : analyzeBankConflicts(op))
        op->emitRemark() << access.how << ": " << access.ways << "-way, " << access.pattern;
    });
  }
};
} // namespace

namespace tkc::test {
void registerTestForEachKernel();

void registerTestPasses() {
  registerTestForEachKernel();
  PassRegistration<TestBankConflicts>();
  PassRegistration<TestHazards>();
  PassRegistration<TestRegisterPrediction>();
  PassRegistration<TestTileRegisters>();
  PassRegistration<TestStaticTimeline>();
  PassRegistration<TestTripCount>();
  PassRegistration<TestExtentEquality>();
}
} // namespace tkc::test
