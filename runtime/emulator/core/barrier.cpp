//===- core/barrier.cpp - Threads that meet -------------------------------===//
//
// Named barriers (identifier 0 is __syncthreads) and the meetings of a warp.
// A barrier is a synchronisation: everybody who waits learns what everybody who
// arrived has done. A shuffle or an election is not: it only moves values.
//
//===----------------------------------------------------------------------===//
#include "core/report.h"
#include "core/scheduler.h"

#include <fmt/format.h>

namespace tk::emulator {
namespace {

void arrive(uint32_t id, uint32_t threads, bool waits) {
  named_barrier_state &b = current->home->named[id];
  if (b.arrived == 0) {
    b.expected = threads;
    b.first = site_of(*current);
  } else if (b.expected != threads) {
    fault(fmt::format("named barrier {} is given {} threads here but {} by another thread that is "
                      "already there",
                      id, threads, b.expected),
          {{"other", fmt::format("thread {}", b.first.thread), b.first}});
  }
  ++b.arrived;
  b.clock.join(current->clock);
  current->tick();
  if (b.arrived < b.expected) {
    if (waits) {
      b.waiting.push_back(current);
      wait(wait_for::named_barrier, &b, id);
    }
    return;
  }
  ++running->progress;
  for (thread *t : b.waiting)
    t->clock.join(b.clock);
  if (waits)
    current->clock.join(b.clock);
  b.arrived = 0;
  b.clock = {};
  wake_all(b.waiting);
}

rendezvous &own_warp(uint32_t mask) {
  rendezvous &warp = current->home->warps[size_t(current->warp())];
  if (mask != 0xffffffff)
    fault(fmt::format("{} with a mask of {:#x}: the emulator only knows whole warps",
                      current->instruction, mask));
  return warp;
}

struct shuffle_operands {
  uint32_t value;
  int source;
  uint32_t result;
};

} // namespace

void named_barrier(uint32_t id, uint32_t threads, bool waits, place where) {
  TK_BEGIN(waits ? "barrier.sync" : "barrier.arrive");
  be_overtaken();
  if (id > 15)
    fault(fmt::format("there is no named barrier {}: a block has 0 to 15", id));
  if (threads == 0 || threads % 32 != 0 || int(threads) > running->what->threads)
    fault(fmt::format("named barrier {} is given {} threads when it should be a multiple of 32 up "
                      "to the block's {}",
                      id, threads, running->what->threads));
  arrive(id, threads, waits);
}

void sync_threads(place where) {
  TK_BEGIN("__syncthreads");
  arrive(0, uint32_t(running->what->threads), true);
}

void sync_warp(uint32_t mask, place where) {
  TK_BEGIN("__syncwarp");
  rendezvous &warp = own_warp(mask);
  meet(warp, current->instruction, current->number % 32, current, [&](void **threads) {
    vector_clock all;
    for (int lane = 0; lane < warp.size; ++lane)
      all.join(static_cast<thread *>(threads[lane])->clock);
    for (int lane = 0; lane < warp.size; ++lane) {
      static_cast<thread *>(threads[lane])->clock.join(all);
      static_cast<thread *>(threads[lane])->tick();
    }
  });
}

uint32_t shuffle(uint32_t mask, uint32_t value, int source_lane, place where) {
  TK_BEGIN("shfl.sync");
  rendezvous &warp = own_warp(mask);
  shuffle_operands mine = {value, source_lane, 0};
  meet(warp, current->instruction, current->number % 32, &mine, [&](void **lanes) {
    for (int lane = 0; lane < warp.size; ++lane) {
      auto &to = *static_cast<shuffle_operands *>(lanes[lane]);
      to.result = to.source < warp.size ? static_cast<shuffle_operands *>(lanes[to.source])->value
                                        : to.value;
    }
  });
  return mine.result;
}

bool elect_one(place where) {
  TK_BEGIN("elect.sync");
  rendezvous &warp = own_warp(0xffffffff);
  const int lane = current->number % 32;
  meet(warp, current->instruction, lane, current, [](void **) {});
  return lane == running->elected_lane % warp.size;
}

} // namespace tk::emulator
