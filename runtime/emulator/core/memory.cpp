#include "core/memory.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <cstring>

namespace tk::emulator {
namespace {

// Faults. Kept apart so that the checks stay small.

note told(const char *label, const epoch &e) {
  const site &s = site_at(e.site);
  return {label, formatted("by {}, {}", who_of(s), s.instruction), s};
}

[[noreturn]] void refuse_empty(uint32_t address) {
  fault(formatted("{} reads {}, which nothing has been written to", current->instruction,
                  name_of_address(address)));
}

[[noreturn]] void refuse_barrier(uint32_t address) {
  fault(formatted("{} touches {}, where an mbarrier is", current->instruction,
                  name_of_address(address)));
}

[[noreturn]] void refuse_early_read(const cell &c, uint32_t address) {
  const std::string_view writer = site_at(c.write.site).instruction;
  const bool copy = !c.generic || writer == "cp.async";
  fault(copy ? formatted("{} reads {} before the {} into it is known to have landed",
                         current->instruction, name_of_address(address),
                         c.generic ? "copy" : "TMA load")
             : formatted("{} reads {} while another thread may still write it: a race",
                         current->instruction, name_of_address(address)),
        {told(copy ? "loaded" : "written", c.write),
         {"fix",
          !c.generic ? "wait for the phase of the load's mbarrier first"
          : copy     ? "wait for the group of the copy first"
                     : "let the writer arrive at a barrier, and the reader wait for it, in between",
          {}}});
}

[[noreturn]] void refuse_other_proxy(const cell &c, uint32_t address, const char *action) {
  fault(formatted("{} {} {} through the async proxy, but the thread that wrote it executed no "
                  "fence_proxy_async "
                  "after the write",
                  current->instruction, action, name_of_address(address)),
        {told("written", c.write),
         {"fix", "let the writer call fence_proxy_async before it arrives at the barrier", {}}});
}

[[noreturn]] void refuse_overwrite(const cell &c, uint32_t address) {
  fault(formatted("{} writes {} while {}: a race", current->instruction, name_of_address(address),
                  c.generic ? "another thread may still write it"
                            : "an earlier TMA load may still write it"),
        {told("written", c.write)});
}

[[noreturn]] void refuse_overwrite_in_use(const epoch &read, uint32_t address) {
  fault(
      formatted("{} overwrites {} while it may still be read by {}", current->instruction,
                name_of_address(address), site_at(read.site).instruction),
      {told("read", read),
       {"fix", "wait for the reader to be done, and let this thread know through a barrier", {}}});
}

[[noreturn]] void refuse_unfenced_overwrite(const epoch &read, uint32_t address) {
  fault(formatted("{} overwrites {} through the async proxy, but the thread that read it executed "
                  "no fence_proxy_async after the read, which may still be under way",
                  current->instruction, name_of_address(address)),
        {told("read", read),
         {"fix", "let the reader call fence_proxy_async before it gives the buffer back", {}}});
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

template <typename Visit> void for_each_read(block &home, const cell &c, Visit visit) {
  for (int i = 0; i < c.reads; ++i)
    visit(c.read[i]);
  if (c.more >= 0)
    for (const epoch &e : home.more_reads[size_t(c.more)])
      visit(e);
}

void forget_reads(block &home, cell &c) {
  c.reads = 0;
  if (c.more >= 0)
    home.more_reads[size_t(c.more)].clear();
}

// An ordinary read of what atomics have written must come after all of them.
void end_atomics(observer &who, block &home, cell &c, uint32_t address) {
  for_each_read(home, c, [&](const epoch &e) {
    if (!who.knows(e))
      refuse_early_read(c, address);
  });
  forget_reads(home, c);
  c.atomic = false;
}

void read_cell(observer &who, block &home, cell &c, uint32_t address, epoch as) {
  if (c.content == cell::nothing)
    refuse_empty(address);
  if (c.content == cell::barrier)
    refuse_barrier(address);
  if (!who.knows(c.write) || c.content == cell::in_flight)
    refuse_early_read(c, address);
  if (c.atomic)
    end_atomics(who, home, c, address);
  if (who.is_async() && c.generic &&
      who.knows(who.together().fence_component(c.write.component)) < c.write.counter)
    refuse_other_proxy(c, address, "reads");
  remember_read(home, c, as);
}

void write_cell(observer &who, block &home, cell &c, uint32_t address, epoch as,
                cell::content_kind content) {
  if (c.content == cell::barrier)
    refuse_barrier(address);
  if (c.content != cell::nothing) {
    for_each_read(home, c, [&](const epoch &e) {
      if (!who.knows(e))
        refuse_overwrite_in_use(e, address);
      if (who.is_async() && who.together().is_thread(e.component) &&
          who.knows(who.together().fence_component(e.component)) < e.counter)
        refuse_unfenced_overwrite(e, address);
    });
    if (!who.knows(c.write) || c.content == cell::in_flight)
      refuse_overwrite(c, address);
    if (who.is_async() && c.generic &&
        who.knows(who.together().fence_component(c.write.component)) < c.write.counter)
      refuse_other_proxy(c, address, "overwrites");
  }
  c.write = as;
  c.content = content;
  c.generic = !who.is_async();
  c.atomic = false;
  forget_reads(home, c);
}

// Atomics read and write, and do not race with each other.
void atomic_cell(observer &who, block &home, cell &c, uint32_t address, epoch as) {
  if (c.content == cell::nothing)
    refuse_empty(address);
  if (!c.atomic) {
    write_cell(who, home, c, address, as, cell::value);
    c.atomic = true;
    return;
  }
  remember_read(home, c, c.write);
  c.write = as;
}

// A copy that is one byte's: it needs a list of further reads of its own.
cell byte_of(block &home, const cell &c) {
  cell byte = c;
  if (c.more >= 0) {
    byte.more = int(home.more_reads.size());
    std::vector<epoch> copy = home.more_reads[size_t(c.more)];
    home.more_reads.push_back(std::move(copy));
  }
  return byte;
}

void split(block &home, cell &c) {
  byte_cells bytes;
  for (cell &byte : bytes)
    byte = byte_of(home, c);
  if (home.unused_splits.empty()) {
    c.split = int(home.split_cells.size());
    home.split_cells.push_back(bytes);
  } else {
    c.split = home.unused_splits.back();
    home.unused_splits.pop_back();
    home.split_cells[size_t(c.split)] = bytes;
  }
}

// Calls visit(cell, its address) for the cells of a range, bytes where it covers only some of a
// cell. With `joins` (a write), a cell that is covered as a whole is one again afterwards.
template <typename Visit>
void for_each_cell(block &home, uint32_t address, uint32_t bytes, bool joins, Visit visit) {
  const uint32_t end = address + bytes;
  for (uint32_t at = address / cell_bytes * cell_bytes; at < end; at += cell_bytes) {
    cell &c = home.at(at);
    const uint32_t first = std::max(at, address), last = std::min(at + cell_bytes, end);
    const bool whole = last - first == cell_bytes;
    if (c.split < 0 && whole) {
      visit(c, at);
      continue;
    }
    if (c.split < 0)
      split(home, c);
    const int index = c.split;
    for (uint32_t byte = first; byte < last; ++byte)
      visit(home.split_cells[size_t(index)][byte - at], byte);
    if (whole && joins) {
      c = home.split_cells[size_t(index)][0];
      home.unused_splits.push_back(index);
    }
  }
}

} // namespace

void check_range(uint32_t address, uint32_t bytes, uint32_t alignment) {
  const uint32_t first = local(address), end = shared_base + uint32_t(running->what->shared_bytes);
  if (rank_of(address) != uint32_t(current->home->rank))
    fault(formatted("{} takes an address of the own block, but {:#x} is one of block {} of the "
                    "cluster and this is block {}",
                    current->instruction, address, rank_of(address), current->home->rank));
  if (address % alignment != 0)
    fault(formatted("{} takes shared addresses that are multiples of {}, but {} is {} off",
                    current->instruction, alignment, name_of_address(address),
                    address % alignment));
  if (first < shared_base || first > end || bytes > end - first)
    fault(formatted("{} accesses shared bytes {} to {}, but the block has bytes 0 to {}",
                    current->instruction, int64_t(first) - shared_base,
                    int64_t(first) - shared_base + bytes - 1, running->what->shared_bytes - 1));
}

block &check_cluster_range(uint32_t address, uint32_t bytes, uint32_t alignment) {
  const cluster &together = *current->home->home;
  if (rank_of(address) >= together.blocks.size())
    fault(formatted("{} names block {} of a cluster of {}", current->instruction, rank_of(address),
                    together.blocks.size()));
  block &home = *together.blocks[rank_of(address)];
  check_range(address_in(uint32_t(current->home->rank), address), bytes, alignment);
  if (&home != current->home) {
    if (home.live == 0)
      fault(formatted("{} reaches into the shared memory of block {} of the cluster, which has "
                      "ended",
                      current->instruction, home.rank),
            {{"fix", "let all blocks meet at a cluster barrier before they end", {}}});
    home.remote_accesses.push_back(own_epoch());
  }
  return home;
}

void note_read(observer &who, block &home, uint32_t address, uint32_t bytes, epoch as) {
  for_each_cell(home, address, bytes, /*joins=*/false,
                [&](cell &c, uint32_t at) { read_cell(who, home, c, at, as); });
}

void note_write(observer &who, block &home, uint32_t address, uint32_t bytes, epoch as,
                cell::content_kind content) {
  for_each_cell(home, address, bytes, /*joins=*/true,
                [&](cell &c, uint32_t at) { write_cell(who, home, c, at, as, content); });
}

void note_landed(block &home, uint32_t address, uint32_t bytes) {
  for_each_cell(home, address, bytes, /*joins=*/false,
                [](cell &c, uint32_t) { c.content = cell::value; });
}

void note_own_atomic(uint32_t address, uint32_t bytes) {
  observer self(*current, proxy::generic);
  block &home = *current->home;
  for_each_cell(home, address, bytes, /*joins=*/true,
                [&](cell &c, uint32_t at) { atomic_cell(self, home, c, at, own_epoch()); });
}

epoch own_epoch() {
  const uint32_t self = current->component;
  return {self, current->clock[self], here()};
}

void note_own_read(uint32_t address, uint32_t bytes) {
  observer self(*current, proxy::generic);
  note_read(self, *current->home, address, bytes, own_epoch());
}

void note_own_write(uint32_t address, uint32_t bytes) {
  observer self(*current, proxy::generic);
  note_write(self, *current->home, address, bytes, own_epoch(), cell::value);
}

void load_shared(uint32_t address, void *registers, int bytes, place where) {
  TK_BEGIN("ld.shared");
  check_range(address, uint32_t(bytes), uint32_t(bytes));
  note_own_read(address, uint32_t(bytes));
  memcpy(registers, current->home->bytes(address), size_t(bytes));
}

void store_shared(uint32_t address, const void *registers, int bytes, content held, place where) {
  TK_BEGIN("st.shared");
  check_range(address, uint32_t(bytes), uint32_t(bytes));
  check_registers(registers, bytes, held);
  note_own_write(address, uint32_t(bytes));
  memcpy(current->home->bytes(address), registers, size_t(bytes));
}

void load_cluster(uint32_t address, void *registers, int bytes, place where) {
  TK_BEGIN("ld.shared::cluster");
  block &home = check_cluster_range(address, uint32_t(bytes), uint32_t(bytes));
  observer self(*current, proxy::generic);
  note_read(self, home, address, uint32_t(bytes), own_epoch());
  memcpy(registers, home.bytes(address), size_t(bytes));
}

void store_cluster(uint32_t address, const void *registers, int bytes, content held, place where) {
  TK_BEGIN("st.shared::cluster");
  block &home = check_cluster_range(address, uint32_t(bytes), uint32_t(bytes));
  check_registers(registers, bytes, held);
  observer self(*current, proxy::generic);
  note_write(self, home, address, uint32_t(bytes), own_epoch(), cell::value);
  memcpy(home.bytes(address), registers, size_t(bytes));
}

} // namespace tk::emulator
