//===- core/cluster.cpp - Blocks that run together -------------------------===//
//
// The cluster barrier: arriving and waiting are two instructions, and threads
// that have ended are not waited for. A relaxed arrival hands no knowledge on.
//
//===----------------------------------------------------------------------===//
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

namespace tk::emulator {

void complete_cluster_barrier(cluster &together) {
  if (together.barrier_arrived == 0 || int(together.barrier_arrived) < together.live())
    return;
  ++running->progress;
  ++together.barrier_phase;
  together.barrier_arrived = 0;
  together.barrier_completed = together.barrier_clock;
  for (thread *t : together.barrier_waiting)
    t->clock.learn(together.barrier_completed);
  wake_all(together.barrier_waiting);
}

void cluster_arrive(bool release, place where) {
  TK_BEGIN("barrier.cluster.arrive");
  be_overtaken();
  cluster &together = *current->home->home;
  if (current->at_cluster_barrier)
    fault("a thread arrives at the cluster barrier twice, without a wait in between");
  current->at_cluster_barrier = true;
  current->cluster_phase = together.barrier_phase;
  ++together.barrier_arrived;
  if (release) {
    together.barrier_clock.collect(current->clock);
    current->tick();
  }
  complete_cluster_barrier(together);
}

void cluster_wait(place where) {
  TK_BEGIN("barrier.cluster.wait");
  cluster &together = *current->home->home;
  if (!current->at_cluster_barrier)
    fault("a thread waits at the cluster barrier without having arrived");
  if (together.barrier_phase == current->cluster_phase) {
    together.barrier_waiting.push_back(current);
    wait(wait_for::cluster_barrier, &together);
  } else {
    current->clock.learn(together.barrier_completed);
  }
  current->at_cluster_barrier = false;
}

uint32_t map_to_rank(uint32_t address, uint32_t rank, place where) {
  TK_BEGIN("mapa");
  const size_t blocks = current->home->home->blocks.size();
  if (rank >= blocks)
    fault(formatted("mapa names block {} of a cluster of {}", rank, blocks));
  return address_in(rank, address);
}

} // namespace tk::emulator
