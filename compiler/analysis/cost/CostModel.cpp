//===- CostModel.cpp - Cycles that work takes on an SM --------------------===//
//
// How well do MMAs of one warpgroup run beside elementwise work of the others? The
// consumer warpgroups are customers of a closed network of two queues, the tensor
// cores and the pipes: each goes from one to the other, and in between it waits for
// what delays nobody else (an MMA's latency, an mbarrier, a vote). Mean value
// analysis (Reiser and Lavenberg, 1980) gives the time of a round: who arrives finds
// queues as long as they are on average with one customer fewer, and whoever is
// being served half done. So one warpgroup takes the sum of all parts and many take
// as long as the busier queue; with equal parts, two take 1.25 times that, three
// 1.10 and four 1.05, without latencies. This is why three tall tiles are slower
// than four for the same work (docs/design/cost-model.md).
//
//===----------------------------------------------------------------------===//
#include "analysis/cost/CostModel.h"

#include "target/HopperModel.h"

#include <algorithm>

using namespace mlir;
using namespace tkc;
using namespace tkc::hopper;

PartCycles tkc::getPartCycles(const WorkCounts &counts) {
  return {double(counts.operations) / mmaOperationsPerCycle,
          counts.functions / specialFunctionsPerCycle,
          counts.arithmetic / elementOperationsPerCycle,
          double(counts.sharedBytes) / sharedBytesPerCycle,
          double(counts.loadedBytes) / l2BytesPerCycle,
          double(counts.loadedBytes) / memoryBytesPerCycle};
}

double tkc::getElementwiseCycles(const WorkCounts &counts) {
  return counts.functions / specialFunctionsPerCycle +
         counts.arithmetic / warpgroupOperationsPerCycle + double(counts.votes * voteCycles);
}

double tkc::getArrivalCycles(const WorkCounts &counts) {
  return double(counts.loadedBytes) / arrivingBytesPerCycle;
}

double tkc::getStoreCycles(const WorkCounts &counts) {
  return double(counts.storedBytes) / storedBytesPerCycle;
}

/// The time of a round of each of `warpgroups` through both queues.
static double getRoundCycles(double mmas, double elements, double latency, int64_t warpgroups) {
  struct Queue {
    double service, length = 0, busy = 0; // customers there on average; the part of time it serves
    double respond() const { return service * (1 + length - busy / 2); }
  } queues[] = {{mmas}, {elements}};
  double round = 0;
  for (int64_t customers = 1; customers <= warpgroups; ++customers) {
    round = latency;
    for (const Queue &queue : queues)
      round += queue.respond();
    for (Queue &queue : queues) {
      queue.length = double(customers) * queue.respond() / round;
      queue.busy = std::min(1.0, double(customers) * queue.service / round);
    }
  }
  return std::max(round, double(warpgroups) * std::max(mmas, elements));
}

/// Cycles that delay the warpgroup that does this work, and nobody else.
static double getLatency(const WorkCounts &counts) {
  return double(mmaLatency + counts.waits * barrierWaitCycles + counts.votes * voteCycles);
}

double tkc::getStretchCycles(const WorkCounts &counts, int64_t warpgroups, bool isRepeated) {
  const PartCycles parts = getPartCycles(counts);
  const double mmas = parts.tensorCores, elements = parts.specialFunctions + parts.arithmetic;
  double cycles = double(warpgroups) * (mmas + elements);
  if (mmas > 0 && elements > 0 && isRepeated)
    cycles = getRoundCycles(mmas, elements + roundCycles, getLatency(counts), warpgroups);
  else if (mmas > 0 && elements > 0) // a flow shop, for all begin together
    cycles = double(warpgroups) * std::max(mmas, elements) + std::min(mmas, elements) +
             getLatency(counts) + tileCycles;
  else if (mmas > 0) // one alone waits for each of its MMAs, several keep them in flight
    cycles = std::max(cycles, mmas + mmaLatency);
  return cycles + (mmas > 0 ? double(stretchCycles) : 0) +
         double(warpgroups) *
             (getStoreCycles(counts) + double(counts.sharedBytes) * cyclesPerSharedByte);
}

/// A stretch with MMAs fills the tensor cores, and the rest runs beside the other one's.
double tkc::getPingPongTileCycles(const WorkCounts &counts) {
  if (counts.operations)
    return getPartCycles(counts).tensorCores + double(counts.sharedBytes) * cyclesPerSharedByte;
  return getStretchCycles(counts, /*warpgroups=*/1, /*isRepeated=*/true) / 2;
}
