//===- core/copies.cpp - cp.async: copies that threads make ---------------===//
//
// Like bulk stores, a thread's copies are counted in groups. At issue the
// destination is poisoned; it holds its bytes when the scheduler has made the
// copy, and the thread knows so when it has waited for the group. Or the copies
// arrive at an mbarrier by themselves, with what the thread knew before.
//
// The bytes are written through the generic proxy: before TMA or wgmma read them,
// the thread that copied must wait, then fence.
//
//===----------------------------------------------------------------------===//
#include "core/memory.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <cstring>

namespace tk::emulator {
namespace {

int &open_copy_group() {
  if (current->copy_agent < 0)
    current->copy_agent = int(current->home->home->new_fenced_agent());
  if (current->copy_groups.size() == current->copies_committed)
    current->copy_groups.push_back(0);
  return current->copy_groups.back();
}

bool landed(const thread &t, uint32_t groups) {
  for (uint32_t group = 0; group < groups; ++group)
    if (t.copy_groups[group] > 0)
      return false;
  return true;
}

// Those arrivals whose copies have all landed.
void arrive_if_landed(thread &t) {
  std::erase_if(t.delayed_arrivals, [&](const thread::delayed_arrival &delayed) {
    if (!landed(t, delayed.group))
      return false;
    mbarrier &m = *delayed.barrier;
    vector_clock known = delayed.known;
    known.raise(uint32_t(t.copy_agent), delayed.group);
    arrive_at(*t.home, m, 1, known);
    return true;
  });
}

} // namespace

void copy_async(uint32_t destination, const void *source, int bytes, uint32_t given, place where) {
  TK_BEGIN("cp.async");
  be_overtaken();
  check_range(destination, uint32_t(bytes), uint32_t(bytes));
  if (given > uint32_t(bytes))
    fault(formatted("cp.async of {} bytes is given {}", bytes, given));
  check_dependency();
  if (given > 0) {
    check_alignment(source, bytes);
    check_global_range(source, given);
  }
  ++open_copy_group();
  observer self(*current, proxy::generic);
  note_write(self, *current->home, destination, uint32_t(bytes),
             {uint32_t(current->copy_agent), current->copies_committed + 1, here()},
             cell::in_flight);
  memset(current->home->bytes(destination), poison_byte, size_t(bytes));

  async_operation copy = {};
  copy.kind = async_operation::copy;
  copy.home = current->home;
  copy.issuer = current;
  copy.plain = true;
  copy.global = source;
  copy.plain_bytes = given;
  copy.zero_bytes = uint32_t(bytes) - given;
  copy.address = destination;
  copy.group = current->copies_committed;
  copy.issued = site_of(*current);
  issue(std::move(copy));
}

void perform_copy(const async_operation &copy) {
  block &home = *copy.home;
  memcpy(home.bytes(copy.address), copy.global, copy.plain_bytes);
  memset(home.bytes(copy.address) + copy.plain_bytes, 0, copy.zero_bytes);
  note_landed(home, copy.address, copy.plain_bytes + copy.zero_bytes);
  thread &issuer = *copy.issuer;
  if (--issuer.copy_groups[copy.group] == 0) {
    arrive_if_landed(issuer);
    if (issuer.waiting == wait_for::copies)
      wake(issuer);
  }
}

void copy_commit(place where) {
  TK_BEGIN("cp.async.commit_group");
  open_copy_group();
  ++current->copies_committed;
}

void copy_wait(int pending, place where) {
  TK_BEGIN("cp.async.wait_group");
  if (current->copies_committed <= uint32_t(pending))
    return;
  const uint32_t target = current->copies_committed - uint32_t(pending);
  while (!landed(*current, target))
    wait(wait_for::copies);
  current->clock.raise(uint32_t(current->copy_agent), target);
}

void copy_arrive(uint32_t barrier, place where) {
  TK_BEGIN("cp.async.mbarrier.arrive");
  mbarrier &m = barrier_at(barrier);
  open_copy_group();
  ++current->copies_committed; // what comes later is no part of it
  current->delayed_arrivals.push_back({&m, current->copies_committed, current->clock});
  current->tick();
  arrive_if_landed(*current);
}

} // namespace tk::emulator
