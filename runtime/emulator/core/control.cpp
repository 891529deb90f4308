//===- core/control.cpp - Fences, register pool, dependent launch ---------===//
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <algorithm>
#include <cstring>

namespace tk::emulator {
namespace {

// Hands registers of the pool to the warpgroups that wait for some.
void share_out(block &b) {
  for (warpgroup_state &group : b.warpgroups) {
    const int more = group.registers_wanted - group.registers;
    if (group.registers_wanted == 0 || more > b.register_pool)
      continue;
    b.register_pool -= more;
    group.registers = group.registers_wanted;
    group.registers_wanted = 0;
    ++running->progress;
    wake_all(b.wants_registers); // they look again
  }
}

} // namespace

// This thread's writes up to now become visible to the async proxy, for those who learn of the
// fence.
void fence_proxy_async(place where) {
  TK_BEGIN("fence.proxy.async");
  const uint32_t self = current->component;
  const cluster &together = *current->home->home;
  current->clock.raise_own(together.fence_component(self), current->clock[self]);
  if (current->copy_agent >= 0) { // and its copies that have landed
    const uint32_t agent = uint32_t(current->copy_agent);
    current->clock.raise(together.fence_component(agent), current->clock[agent]);
  }
  note_barriers_fenced();
  current->tick();
}

void griddepcontrol_wait(place where) {
  TK_BEGIN("griddepcontrol.wait");
  current->clock.raise(current->home->home->dependency_component(), 1);
}

void check_dependency() {
  if (current->clock[current->home->home->dependency_component()] == 0)
    fault(formatted("{} accesses global memory before griddepcontrol.wait: the kernel before "
                    "this one may still be "
                    "writing it",
                    current->instruction),
          {{"fix",
            "call griddepcontrol_wait first, or learn through a barrier that another thread has",
            {}}});
}

void setmaxnreg(int registers, bool increase, place where) {
  TK_BEGIN(increase ? "setmaxnreg.inc" : "setmaxnreg.dec");
  block &b = *current->home;
  warpgroup_state &group = b.warpgroups[size_t(current->warpgroup())];
  meet(group.meeting, current->instruction, current->number % 128, current, [&](void **) {
    if (increase ? registers < group.registers : registers > group.registers)
      fault(formatted("{} asks for {} registers when the warpgroup has {}", current->instruction,
                      registers, group.registers));
    if (increase) {
      group.registers_wanted = registers;
    } else {
      b.register_pool += group.registers - registers;
      group.registers = registers;
    }
    share_out(b);
  });
  while (group.registers_wanted > 0) {
    b.wants_registers.push_back(current);
    wait(wait_for::registers, &group, uint32_t(registers));
  }
}

void check_exit(thread &t) {
  block &b = *t.home;
  for (size_t group = 0; group < t.bulk_groups.size(); ++group)
    if (t.clock[uint32_t(t.bulk_agent)] <= group)
      fault("a thread ends while its bulk stores may still read shared memory",
            {{"issued", "the store", site_at(t.bulk_groups[group].last)},
             {"fix", "call bulk_wait_read<0> before the end", {}}});
  for (const auto &target : b.warpgroups[size_t(t.warpgroup())].accumulators)
    fault(
        "a thread ends while an MMA of its warpgroup is in flight",
        {{"issued", "the MMA", target->issued}, {"fix", "call wgmma_wait<0> before the end", {}}});
  for (size_t group = 0; group < t.copy_groups.size(); ++group)
    if (t.copy_groups[group] > 0 && t.delayed_arrivals.empty())
      fault("a thread ends while its asynchronous copies are in flight",
            {{"fix", "call cp_async_wait<0> before the end", {}}});
  if (t.at_cluster_barrier)
    fault("a thread ends between its arrival at the cluster barrier and the wait");
  if (b.live > 1)
    return;
  // The last thread: whatever was loaded, somebody must know that it has landed.
  const auto somebody_knows = [&](uint32_t component, uint32_t counter) {
    return std::any_of(b.threads.begin(), b.threads.end(),
                       [&](const thread &other) { return other.clock[component] >= counter; });
  };
  for (const auto &[address, m] : b.mbarriers)
    if (m.last_load.counter && !somebody_knows(m.agent, m.last_load.counter))
      fault(formatted("the block ends without any thread having waited for the last TMA load on "
                      "{}, which may still "
                      "be in flight",
                      name_of_barrier(m)),
            {{"issued", "the load", site_at(m.last_load.site)}});
  for (int id = 0; id < 16; ++id)
    if (const named_barrier_state &met = b.named[id]; met.arrived > 0)
      fault(formatted("the block ends when {} of {} threads have come to named barrier {}",
                      met.arrived, met.expected, id),
            {{"first", formatted("thread {}", met.first.thread), met.first},
             {"fix", "let as many threads wait there as are told of", {}}});
  for (const epoch &e : b.remote_accesses)
    if (!somebody_knows(e.component, e.counter))
      fault(
          formatted("block {} of the cluster ends while {} may still reach into its shared memory",
                    b.rank, who_of(site_at(e.site))),
          {{"access", site_at(e.site).instruction, site_at(e.site)},
           {"fix", "let all blocks meet at a cluster barrier before they end", {}}});
}

} // namespace tk::emulator
