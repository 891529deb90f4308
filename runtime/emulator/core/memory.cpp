#include "core/memory.h"
#include "core/report.h"
#include "core/scheduler.h"

#include <cstring>
#include <fmt/format.h>

namespace tk::emulator {
namespace {

// Faults. Kept apart so that the checks stay small.

note told(const char *label, const epoch &e) {
  const site &s = site_at(e.site);
  return {label, fmt::format("by thread {}, {}", s.thread, s.instruction), s};
}

[[noreturn]] void refuse_empty(uint32_t address) {
  fault(fmt::format("{} reads {}, which nothing has been written to", current->instruction,
                    name_of_address(address)));
}

[[noreturn]] void refuse_barrier(uint32_t address) {
  fault(fmt::format("{} touches {}, where an mbarrier is", current->instruction,
                    name_of_address(address)));
}

[[noreturn]] void refuse_early_read(const cell &c, uint32_t address) {
  const bool load = !c.generic;
  fault(load ? fmt::format("{} reads {} before the TMA load into it is known to have landed",
                           current->instruction, name_of_address(address))
             : fmt::format("{} reads {} while another thread may still write it: a race",
                           current->instruction, name_of_address(address)),
        {told(load ? "loaded" : "written", c.write),
         {"fix",
          load ? "wait for the phase of the load's mbarrier first"
               : "let the writer arrive at a barrier, and the reader wait for it, in between",
          {}}});
}

[[noreturn]] void refuse_other_proxy(const cell &c, uint32_t address, const char *verb) {
  fault(fmt::format("{} {} {} through the async proxy, but the thread that wrote it executed no "
                    "fence_proxy_async "
                    "after the write",
                    current->instruction, verb, name_of_address(address)),
        {told("written", c.write),
         {"fix", "let the writer call fence_proxy_async before it arrives at the barrier", {}}});
}

[[noreturn]] void refuse_overwrite(const cell &c, uint32_t address) {
  fault(fmt::format("{} writes {} while {}: a race", current->instruction, name_of_address(address),
                    c.generic ? "another thread may still write it"
                              : "an earlier TMA load may still write it"),
        {told("written", c.write)});
}

[[noreturn]] void refuse_overwrite_in_use(const epoch &read, uint32_t address) {
  fault(
      fmt::format("{} overwrites {} while it may still be read by {}", current->instruction,
                  name_of_address(address), site_at(read.site).instruction),
      {told("read", read),
       {"fix", "wait for the reader to be done, and let this thread know through a barrier", {}}});
}

void remember_read(block &home, cell &c, epoch as) {
  for (int i = 0; i < c.reads; ++i)
    if (c.read[i].component == as.component) {
      c.read[i] = as;
      return;
    }
  if (c.reads < 3) {
    c.read[c.reads++] = as;
    return;
  }
  if (c.more < 0) {
    c.more = int(home.more_reads.size());
    home.more_reads.emplace_back();
  }
  auto &more = home.more_reads[size_t(c.more)];
  for (epoch &e : more)
    if (e.component == as.component) {
      e = as;
      return;
    }
  more.push_back(as);
}

void read_cell(observer &who, cell &c, uint32_t address, epoch as) {
  if (c.content == cell::nothing)
    refuse_empty(address);
  if (c.content == cell::barrier)
    refuse_barrier(address);
  if (!who.knows(c.write) || c.content == cell::in_flight)
    refuse_early_read(c, address);
  if (who.is_async() && c.generic &&
      who.knows(who.home().fence_component(c.write.component)) < c.write.counter)
    refuse_other_proxy(c, address, "reads");
  remember_read(who.home(), c, as);
}

void write_cell(observer &who, cell &c, uint32_t address, epoch as, cell::content_kind content) {
  if (c.content == cell::barrier)
    refuse_barrier(address);
  if (c.content != cell::nothing) {
    for (int i = 0; i < c.reads; ++i)
      if (!who.knows(c.read[i]))
        refuse_overwrite_in_use(c.read[i], address);
    if (c.more >= 0)
      for (const epoch &e : who.home().more_reads[size_t(c.more)])
        if (!who.knows(e))
          refuse_overwrite_in_use(e, address);
    if (!who.knows(c.write) || c.content == cell::in_flight)
      refuse_overwrite(c, address);
    if (who.is_async() && c.generic &&
        who.knows(who.home().fence_component(c.write.component)) < c.write.counter)
      refuse_other_proxy(c, address, "overwrites");
  }
  c.write = as;
  c.content = content;
  c.generic = !who.is_async();
  c.reads = 0;
  if (c.more >= 0)
    who.home().more_reads[size_t(c.more)].clear();
}

} // namespace

void check_range(uint32_t address, uint32_t bytes, uint32_t alignment) {
  const uint32_t end = shared_base + uint32_t(running->what->shared_bytes);
  if (address % alignment != 0)
    fault(fmt::format("{} takes shared addresses that are multiples of {}, but {} is {} off",
                      current->instruction, alignment, name_of_address(address),
                      address % alignment));
  if (address < shared_base || address > end || bytes > end - address)
    fault(fmt::format("{} accesses shared bytes {} to {}, but the block has bytes 0 to {}",
                      current->instruction, int64_t(address) - shared_base,
                      int64_t(address) - shared_base + bytes - 1, running->what->shared_bytes - 1));
}

void note_read(observer &who, uint32_t address, uint32_t bytes, epoch as) {
  block &home = who.home();
  for (uint32_t at = address / cell_bytes * cell_bytes; at < address + bytes; at += cell_bytes)
    read_cell(who, home.at(at), at, as);
}

void note_write(observer &who, uint32_t address, uint32_t bytes, epoch as,
                cell::content_kind content) {
  block &home = who.home();
  for (uint32_t at = address / cell_bytes * cell_bytes; at < address + bytes; at += cell_bytes)
    write_cell(who, home.at(at), at, as, content);
}

epoch own_epoch() {
  const uint32_t self = uint32_t(current->number);
  return {self, current->clock[self], here()};
}

void note_own_read(uint32_t address, uint32_t bytes) {
  observer self(*current, proxy::generic);
  note_read(self, address, bytes, own_epoch());
}

void note_own_write(uint32_t address, uint32_t bytes) {
  observer self(*current, proxy::generic);
  note_write(self, address, bytes, own_epoch(), cell::value);
}

void load_shared(uint32_t address, void *registers, int bytes, place where) {
  TK_BEGIN("ld.shared");
  check_range(address, uint32_t(bytes), uint32_t(bytes));
  note_own_read(address, uint32_t(bytes));
  memcpy(registers, current->home->bytes(address), size_t(bytes));
}

void store_shared(uint32_t address, const void *registers, int bytes, place where) {
  TK_BEGIN("st.shared");
  check_range(address, uint32_t(bytes), uint32_t(bytes));
  note_own_write(address, uint32_t(bytes));
  memcpy(current->home->bytes(address), registers, size_t(bytes));
}

} // namespace tk::emulator
