//===- core/barrier.cpp - Threads that meet -------------------------------===//
//
// Named barriers (identifier 0 is __syncthreads) and the meetings of a warp.
// A barrier is a synchronisation: everybody who waits learns what everybody who
// arrived has done. A shuffle or an election is not: it only moves values.
//
//===----------------------------------------------------------------------===//
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <algorithm>
#include <bit>

namespace tk::emulator {
namespace {

// What the running thread knows becomes known to the barrier.
void tell(named_barrier_state &b) {
  const vector_clock &own = current->clock;
  if (std::ranges::find(b.histories, own.history) == b.histories.end()) {
    b.histories.push_back(own.history);
    b.clock.collect(own);
    return;
  }
  const uint32_t fenced = current->home->home->fence_component(current->component);
  for (uint32_t component : {current->component, fenced})
    b.clock.raise_own(component, own[component]);
}

void arrive_at(uint32_t id, uint32_t threads, bool waits) {
  named_barrier_state &b = current->home->named[id];
  if (b.arrived == 0) {
    b.expected = threads;
    b.first = site_of(*current);
  } else if (b.expected != threads) {
    fault(formatted("named barrier {} is given {} threads here but {} by another thread that is "
                    "already there",
                    id, threads, b.expected),
          {{"other", formatted("thread {}", b.first.thread), b.first}});
  }
  ++b.arrived;
  tell(b);
  current->tick();
  if (b.arrived < b.expected) {
    if (waits) {
      b.waiting.push_back(current);
      wait(wait_for::named_barrier, &b, id);
    }
    return;
  }
  ++running->progress;
  // All have told what they knew, and have only ticked since then.
  const uint64_t history = new_history();
  for (thread *t : b.waiting)
    t->clock.adopt(b.clock, history);
  if (waits)
    current->clock.adopt(b.clock, history);
  b.arrived = 0;
  b.clock = {};
  b.histories.clear();
  wake_all(b.waiting);
}

// The meeting of the lanes of a mask.
rendezvous &own_warp(uint32_t mask) {
  const int number = current->warp();
  rendezvous &whole = current->home->warps[size_t(number)];
  const uint32_t present = whole.size == 32 ? 0xffffffff : (1u << whole.size) - 1;
  if (!(mask >> current->number % 32 & 1))
    fault(formatted("{} is executed by lane {}, which its mask {:#x} leaves out",
                    current->instruction, current->number % 32, mask));
  mask &= present;
  if (mask == present)
    return whole;
  rendezvous &part = current->home->parts[{number, mask}];
  part.size = std::popcount(mask);
  part.operands.resize(32);
  return part;
}

// Calls visit(operands, lane) for the lanes that meet; the others of `lanes` are null.
template <typename T, typename Visit> void for_each_lane(void **lanes, Visit visit) {
  for (int lane = 0; lane < 32; ++lane)
    if (lanes[lane])
      visit(*static_cast<T *>(lanes[lane]), lane);
}

// The vector clock of all lanes together, where theirs differ in their own components alone.
vector_clock sum_of_own(void **lanes) {
  const cluster &together = *current->home->home;
  vector_clock all = current->clock.without_owner();
  for_each_lane<thread>(lanes, [&](thread &from, int) {
    for (uint32_t component : {from.component, together.fence_component(from.component)})
      all.raise_own(component, from.clock[component]);
  });
  return all;
}

vector_clock sum_of_all(void **lanes) {
  vector_clock all;
  for_each_lane<thread>(lanes, [&](thread &t, int) { all.collect(t.clock); });
  return all;
}

struct shuffle_operands {
  uint32_t value;
  int source;
  uint32_t result;
};

struct gather_operands {
  uint32_t value;
  lane_values *result;
};

} // namespace

void named_barrier(uint32_t id, uint32_t threads, bool waits, place where) {
  TK_BEGIN(waits ? "barrier.sync" : "barrier.arrive");
  be_overtaken();
  if (id > 15)
    fault(formatted("there is no named barrier {}: a block has 0 to 15", id));
  if (threads == 0 || threads % 32 != 0 || int(threads) > running->what->threads)
    fault(formatted("named barrier {} is given {} threads when it should be a multiple of 32 up "
                    "to the block's {}",
                    id, threads, running->what->threads));
  arrive_at(id, threads, waits);
}

void sync_threads(place where) {
  TK_BEGIN("__syncthreads");
  arrive_at(0, uint32_t(running->what->threads), true);
}

void sync_warp(uint32_t mask, place where) {
  TK_BEGIN("__syncwarp");
  meet(own_warp(mask), current->instruction, current->number % 32, current, [&](void **lanes) {
    bool are_alike = true;
    for_each_lane<thread>(
        lanes, [&](thread &t, int) { are_alike &= t.clock.history == current->clock.history; });
    const vector_clock all = are_alike ? sum_of_own(lanes) : sum_of_all(lanes);
    const uint64_t history = new_history();
    for_each_lane<thread>(lanes, [&](thread &t, int) {
      t.clock.adopt(all, history);
      t.tick();
    });
  });
}

uint32_t shuffle(uint32_t mask, uint32_t value, int source_lane, place where) {
  TK_BEGIN("shfl.sync");
  check_registers(&value, 4, content::bits);
  shuffle_operands mine = {value, source_lane, 0};
  meet(own_warp(mask), current->instruction, current->number % 32, &mine, [&](void **lanes) {
    for_each_lane<shuffle_operands>(lanes, [&](shuffle_operands &to, int lane) {
      const auto *from = static_cast<shuffle_operands *>(lanes[to.source & 31]);
      if (!from)
        fault(
            formatted("lane {} shuffles from lane {}, which does not take part", lane, to.source));
      to.result = from->value;
    });
  });
  return mine.result;
}

lane_values gather_lanes(const char *instruction, uint32_t mask, uint32_t value, place where) {
  TK_BEGIN(instruction);
  lane_values result = {};
  gather_operands mine = {value, &result};
  meet(own_warp(mask), current->instruction, current->number % 32, &mine, [&](void **lanes) {
    lane_values all = {};
    for_each_lane<gather_operands>(lanes,
                                   [&](gather_operands &of, int lane) { all.of[lane] = of.value; });
    for_each_lane<gather_operands>(lanes, [&](gather_operands &of, int) { *of.result = all; });
  });
  return result;
}

bool elect_one(place where) {
  TK_BEGIN("elect.sync");
  rendezvous &warp = own_warp(0xffffffff);
  const int lane = current->number % 32;
  meet(warp, current->instruction, lane, current, [](void **) {});
  return lane == running->elected_lane % warp.size;
}

} // namespace tk::emulator
