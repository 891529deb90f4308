//===- ProtocolTrace.cpp - The steps of a counterexample ------------------===//
#include "analysis/protocol/ProtocolTrace.h"

#include "dialect/hopper/HopperTileOps.h"
#include <map>

using namespace mlir;
using namespace tkc;
using namespace tkc::protocol;

/// A person reads no more.
static constexpr size_t maxSteps = 8;

void Trace::addLoop(Operation *loop, unsigned agent, int64_t count) {
  auto known = llvm::find_if(loops, [&](const Loop &other) { return other.op == loop; });
  if (known == loops.end()) {
    loops.push_back({loop, agent, {count}});
    return;
  }
  constexpr size_t maxCounts = 3; // as many as there are tiles
  if (known->agent == agent && known->counts.size() < maxCounts)
    known->counts.push_back(count);
}

static std::string describeCounts(Operation *op, ArrayRef<int64_t> counts) {
  auto times = [](int64_t count) {
    return std::to_string(count) + (count == 1 ? " time" : " times");
  };
  auto loop = dyn_cast<scf::ForOp>(op);
  if (isa<hopper::TileLoopOp>(op) || (loop && hopper::getTileShare(loop)))
    return "in this run, the block has " + std::to_string(counts.front()) +
           (counts.front() == 1 ? " tile" : " tiles");
  std::string text = "in this run, this loop runs " + times(counts.front());
  if (llvm::all_equal(counts))
    return text;
  for (int64_t count : counts.drop_front())
    text += ", then " + times(count);
  return text;
}

void Trace::explain(ProtocolViolation &violation, ArrayRef<Subject> subjects) const {
  auto add = [&](Operation *op, const std::string &text) {
    // Both roles have a copy of each loop.
    if (llvm::none_of(violation.notes, [&](const ProtocolNote &note) {
          return note.op->getLoc() == op->getLoc() && note.text == text;
        }))
      violation.notes.push_back({op, text});
  };
  for (const Loop &loop : loops)
    add(loop.op, describeCounts(loop.op, loop.counts));

  // Steps of the other warps after their leader, in step with it, are the same line again.
  std::map<std::pair<Operation *, StringRef>, int> ahead;
  for (const Event &event : events)
    ahead[{event.op, event.text}] += event.isLeader;
  SmallVector<const Event *> shown;
  for (const Event &event : llvm::reverse(events)) {
    if (shown.size() == maxSteps)
      break;
    if (!event.isLeader && ahead[{event.op, event.text}]-- > 0)
      continue;
    if (llvm::any_of(subjects, [&](const Subject &other) { return event.subject.touches(other); }))
      shown.push_back(&event);
  }
  for (const Event *event : llvm::reverse(shown))
    violation.notes.push_back({event->op, event->text});
}
