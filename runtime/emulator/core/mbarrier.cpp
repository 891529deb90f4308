//===- core/mbarrier.cpp - Arrivals, bytes and phases ---------------------===//
//
// A phase completes when nothing is pending: no arrival and no byte. An arrival
// hands the clock of its thread to the barrier; whoever waits for the phase
// takes it over, together with the knowledge that the phase's copies landed
// (the barrier is a component of its own, which counts its phases).
//
// A wait names its phase by one bit. If it comes so late that the next phase has
// completed, too, it waits for the one after that: so who completes a phase must
// know that all who wait for the one before have passed. If it comes so early that
// the phase before has not completed, it does not wait at all: so who waits for a
// phase must know that the one before has completed.
//
//===----------------------------------------------------------------------===//
#include "core/memory.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <utility>

namespace tk::emulator {
namespace {

// Whether the running thread can tell that the phase before `phase`, which has completed, has: it
// waited for it or learned of such a wait, or it knows of every arrival, and no copy had to land.
bool knows_of_phase_before(const mbarrier &m, uint32_t phase) {
  if (current->clock[m.agent] >= phase)
    return true;
  const bool is_last = phase == m.phase;
  const uint32_t threads = current->home->home->threads;
  return !(is_last ? m.by_bytes : m.by_bytes_before) &&
         current->clock.covers(is_last ? m.completed : m.completed_before, threads);
}

// Phases count from 0; `phase` is the one that the running thread is about to wait for.
void check_known(const mbarrier &m, uint32_t phase) {
  if (!knows_of_phase_before(m, phase))
    fault(formatted("{} may wait for phase {} of {} before the one before has completed: its "
                    "parity would let it "
                    "pass at once",
                    who_of(site_of(*current)), phase, name_of_barrier(m)),
          {{"fix", "let it wait for that phase too, or come after a thread that has", {}}});
}

// Whether the running thread, which comes to a wait, goes on at once.
bool passes(mbarrier &m, uint32_t parity) {
  current->waiting_site = here();
  const bool has_completed = (m.phase & 1) != parity;
  if (m.phase > 0)
    check_known(m, m.phase - has_completed);
  if (!has_completed)
    return false;
  m.seen.push_back(own_epoch());
  current->clock.learn(m.completed);
  return true;
}

// Told of the thread that completes the phase or, if a copy does, of the one that waits.
void check_seen(const block &home, const mbarrier &m) {
  for (const epoch &wait : m.seen) {
    if (m.arriving[wait.component] >= wait.counter)
      continue;
    const std::string what = formatted("{} may complete a phase before {} has seen the one "
                                       "before: its parity would mean another one",
                                       name_of_barrier(m), who_of(site_at(wait.site)));
    std::vector<note> notes = {
        {"waits", who_of(site_at(wait.site)), site_at(wait.site)},
        {"fix", "let what completes this phase come after that wait, through a barrier", {}}};
    if (current)
      fault(what, std::move(notes));
    return fault_of(home, site_at(wait.site), what, std::move(notes));
  }
}

void complete_if_done(const block &home, mbarrier &m) {
  if (m.pending != 0 || m.bytes != 0)
    return;
  check_seen(home, m);
  m.seen.clear();
  ++m.phase;
  ++running->progress;
  m.pending = m.count;
  m.by_bytes_before = std::exchange(m.by_bytes, m.bytes_expected != 0);
  m.bytes_expected = m.bytes_landed = 0;
  m.arriving.raise(m.agent, m.phase);
  m.completed_before = std::exchange(m.completed, m.arriving);
  for (thread *t : m.waiting) { // all for this phase: a wait for the one before would have passed
    t->clock.learn(m.completed);
    t->granted = true;
    m.seen.push_back({t->component, t->clock[t->component], t->waiting_site});
  }
  wake_all(m.waiting);
}

void expect(mbarrier &m, uint32_t bytes) {
  m.bytes += bytes;
  m.bytes_expected += bytes;
  if (m.bytes > (1 << 20) - 1)
    fault(formatted("a phase of {} expects {} bytes when an mbarrier counts up to {}",
                    name_of_barrier(m), m.bytes, (1 << 20) - 1));
}

void check_parity(uint32_t parity) {
  if (parity > 1)
    fault(formatted("{} takes a parity of 0 or 1, not {}", current->instruction, parity));
}

} // namespace

mbarrier &barrier_at(block &home, uint32_t address) {
  const auto found = home.mbarriers.find(local(address));
  if (found == home.mbarriers.end())
    fault(formatted("{} uses {} as an mbarrier, but none has been initialised there",
                    current->instruction, name_of_address(address)));
  mbarrier &m = found->second;
  if (current->clock[m.initialised.component] < m.initialised.counter)
    fault(
        formatted("{} uses {} without knowing that it is initialised: no barrier of the {} "
                  "comes between",
                  current->instruction, name_of_barrier(m),
                  &home == current->home ? "block" : "cluster"),
        {{"initialised", "by " + who_of(site_at(m.initialised.site)), site_at(m.initialised.site)},
         {"fix",
          &home == current->home ? "call __syncthreads() after the initialisation"
                                 : "let all blocks meet at a cluster barrier after the "
                                   "initialisation",
          {}}});
  return m;
}

mbarrier &barrier_at(uint32_t address) {
  check_range(address, 8, 8);
  return barrier_at(*current->home, address);
}

void mbarrier_init(uint32_t address, uint32_t count, place where) {
  TK_BEGIN("mbarrier.init");
  check_range(address, 8, 8);
  if (count < 1 || count >= 1 << 20)
    fault(formatted("mbarrier.init takes a count of 1 to {}, not {}", (1 << 20) - 1, count));
  block &home = *current->home;
  const auto [found, is_new] = home.mbarriers.try_emplace(local(address));
  if (!is_new)
    fault(formatted("{} is initialised a second time", name_of_barrier(found->second)),
          {{"first", "", site_at(found->second.initialised.site)}});
  note_own_write(address, 8);
  home.at(address).content = cell::barrier;
  mbarrier &m = found->second;
  m.address = address;
  m.count = count;
  m.pending = count;
  m.agent = home.home->new_agent();
  m.initialised = own_epoch();
  ++home.unfenced_barriers;
  current->tick();
}

void arrive_at(const block &home, mbarrier &m, uint32_t count, const vector_clock &known) {
  m.pending -= count;
  m.arriving.collect(known);
  complete_if_done(home, m);
}

void mbarrier_arrive(uint32_t address, uint32_t count, uint32_t expected_bytes, bool remote,
                     place where) {
  TK_BEGIN(expected_bytes ? "mbarrier.arrive.expect_tx" : "mbarrier.arrive");
  be_overtaken();
  mbarrier &m =
      remote ? barrier_at(check_cluster_range(address, 8, 8), address) : barrier_at(address);
  if (m.pending < count)
    fault(formatted("{} gets more than the {} arrivals of its phase", name_of_barrier(m), m.count),
          {{"state", formatted("phase {}: {} bytes are still to land", m.phase, m.bytes), {}}});
  expect(m, expected_bytes);
  arrive_at(*current->home, m, count, current->clock);
  current->tick();
}

void mbarrier_expect(uint32_t address, uint32_t bytes, place where) {
  TK_BEGIN("mbarrier.expect_tx");
  mbarrier &m = barrier_at(address);
  expect(m, bytes);
  complete_if_done(*current->home, m);
}

void mbarrier_wait(uint32_t address, uint32_t parity, place where) {
  TK_BEGIN("mbarrier.try_wait");
  check_parity(parity);
  be_overtaken();
  mbarrier &m = barrier_at(address);
  if (passes(m, parity))
    return;
  m.waiting.push_back(current);
  wait(wait_for::phase, &m, parity);
}

bool mbarrier_try_wait(uint32_t address, uint32_t parity, place where) {
  TK_BEGIN("mbarrier.try_wait");
  check_parity(parity);
  be_overtaken();
  mbarrier &m = barrier_at(address);
  if (passes(m, parity))
    return true;
  thread &self = *current;
  self.may_give_up = true;
  self.granted = false;
  m.waiting.push_back(&self);
  wait(wait_for::phase, &m, parity);
  self.may_give_up = false;
  return self.granted;
}

void complete_bytes(block &home, const async_operation &load, uint32_t bytes) {
  mbarrier &m = home.mbarriers.at(local(load.mbarrier_address));
  if (m.phase != load.phase)
    return fault_of(home, load.issued,
                    formatted("a phase of {} completed before all of its TMA loads had landed: "
                              "it expects fewer bytes "
                              "than they bring",
                              name_of_barrier(m)),
                    {{"state", formatted("this load brings {} bytes", bytes), {}}});
  m.bytes -= bytes;
  m.bytes_landed += bytes;
  complete_if_done(home, m);
}

void note_barriers_fenced() {
  block &home = *current->home;
  if (home.unfenced_barriers == 0) // fences are many, and nearly all come later
    return;
  for (auto &[address, m] : home.mbarriers)
    if (m.initialised.component == current->component && m.fenced.counter == 0) {
      m.fenced = own_epoch();
      --home.unfenced_barriers;
    }
}

void fence_mbarrier_init(place where) {
  TK_BEGIN("fence.mbarrier_init");
  note_barriers_fenced();
  current->tick();
}

} // namespace tk::emulator
