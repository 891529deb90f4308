//===- core/tma.cpp - Boxes between global and shared memory, late --------===//
//
// At issue a copy is checked and its shared memory is marked: that of a load is
// poisoned and in flight, that of a store is being read. Later, when the
// scheduler says so, a load lands and completes its bytes; a store first reads
// its source, and later still writes the tensor, or adds to it. A multicast is a
// load for each block, and each lands at a time of its own.
//
// In shared memory the rows of a box follow one another, permuted by the swizzle
// within each row. Copies without a tensor map move bytes as they lie.
//
//===----------------------------------------------------------------------===//
#include "core/memory.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <cstring>
#include <host/abi.h>

namespace tk::emulator {
namespace {

uint32_t row_bytes(const CUtensorMap &map) { return uint32_t(map.box[0]) * map.element_bytes; }

uint32_t box_bytes(const CUtensorMap &map) {
  uint32_t bytes = map.element_bytes;
  for (int i = 0; i < map.rank; ++i)
    bytes *= map.box[i];
  return bytes;
}

uint32_t bytes_of(const async_operation &copy) {
  return copy.plain ? copy.plain_bytes : box_bytes(copy.map);
}

void check_map(const CUtensorMap &map, int rank) {
  if (map.magic != tensor_map_magic)
    fault(formatted("{} is given something that is not a tensor map", current->instruction));
  if (map.rank != rank)
    fault(formatted("{} has {} coordinates but the tensor map has rank {}", current->instruction,
                    rank, map.rank));
}

void check_copy(const CUtensorMap &map, const int *coordinates, int rank, uint32_t address) {
  check_map(map, rank);
  if (int64_t(coordinates[0]) * map.element_bytes % 16 != 0)
    fault(formatted("the first coordinate of a {} is {}, or {} bytes, when it should be a "
                    "multiple of 16 bytes: the "
                    "GPU traps",
                    current->instruction, coordinates[0],
                    int64_t(coordinates[0]) * map.element_bytes));
  const bool one_row = box_bytes(map) == row_bytes(map); // there is no distance between rows
  if (map.swizzle != 16 && row_bytes(map) != map.swizzle &&
      !(one_row && row_bytes(map) < map.swizzle))
    fault(formatted("a box's rows are {} bytes when the {}-byte swizzle takes exactly that many",
                    row_bytes(map), map.swizzle));
  check_range(address, box_bytes(map), 128);
  check_dependency();
}

// Calls visit(chunk's address in shared memory, its bytes in the tensor, how many of the 16 are
// inside) for each 16 bytes of the box; those outside come with null.
template <typename Visit> void for_each_chunk(const async_operation &copy, Visit visit) {
  if (copy.plain) {
    auto *global = const_cast<char *>(static_cast<const char *>(copy.global));
    for (uint32_t byte = 0; byte < copy.plain_bytes; byte += 16)
      visit(copy.address + byte, global + byte, 16);
    return;
  }
  const CUtensorMap &map = copy.map;
  const uint32_t row = row_bytes(map);
  uint32_t rows = 1;
  for (int i = 1; i < map.rank; ++i)
    rows *= map.box[i];

  for (uint32_t r = 0; r < rows; ++r) {
    bool inside = true;
    // In a map for parts the sum goes around 2^64: host/map_dimensions.h.
    uint64_t line = reinterpret_cast<uint64_t>(map.data);
    uint32_t rest = r;
    for (int i = 1; i < map.rank; ++i) {
      const int64_t at = copy.coordinates[i] + int64_t(rest % map.box[i]);
      rest /= map.box[i];
      inside &= at >= 0 && at < map.extents[i];
      line += uint64_t(at) * uint64_t(map.strides[i - 1]);
    }
    for (uint32_t byte = 0; byte < row; byte += 16) {
      const int64_t first = int64_t(copy.coordinates[0]) * map.element_bytes + byte;
      const int64_t left = map.extents[0] * map.element_bytes - first;
      const int count = !inside || first < 0 || left <= 0 ? 0 : left < 16 ? int(left) : 16;
      visit(swizzled(copy.address + r * row + byte, map.swizzle),
            count ? reinterpret_cast<char *>(line) + first : nullptr, count);
    }
  }
}

async_operation describe(async_operation::operation_kind kind, uint32_t address) {
  async_operation operation = {};
  operation.kind = kind;
  operation.home = current->home;
  operation.issuer = current;
  operation.address = address;
  operation.issued = site_of(*current);
  return operation;
}

async_operation describe(async_operation::operation_kind kind, const CUtensorMap &map,
                         const int *coordinates, uint32_t address) {
  async_operation operation = describe(kind, address);
  operation.map = map;
  std::copy(coordinates, coordinates + map.rank, operation.coordinates);
  return operation;
}

async_operation describe(async_operation::operation_kind kind, const void *global, uint32_t bytes,
                         uint32_t address) {
  async_operation operation = describe(kind, address);
  operation.plain = true;
  operation.global = global;
  operation.plain_bytes = bytes;
  return operation;
}

void check_bulk(const void *global, uint32_t bytes, uint32_t address) {
  if (bytes == 0 || bytes % 16 != 0)
    fault(formatted("{} of {} bytes: bulk copies move a multiple of 16", current->instruction,
                    bytes));
  if (uintptr_t(global) % 16 != 0)
    fault(formatted("{} takes global addresses that are multiples of 16, but {} is {} off",
                    current->instruction, global, uintptr_t(global) % 16));
  check_range(address, bytes, 16);
  check_dependency();
}

// A load into one block of the cluster, which may not be that of the running thread.
void issue_load(async_operation load, block &home, uint32_t barrier) {
  if (home.live == 0)
    fault(formatted("{} is to land in block {} of the cluster, which has ended",
                    current->instruction, home.rank));
  mbarrier &m = barrier_at(home, barrier);
  if (m.fenced.counter == 0 || current->clock[m.fenced.component] < m.fenced.counter)
    fault(formatted(
              "a TMA load is to complete on {}, but no fence_mbarrier_init by the thread that "
              "initialised it is "
              "known to the thread that issues the load: TMA may not see the barrier initialised",
              name_of_barrier(m)),
          {{"initialised", "by " + who_of(site_at(m.initialised.site)),
            site_at(m.initialised.site)}});

  observer self(*current, proxy::async);
  m.last_load = {m.agent, m.phase + 1, here()};
  note_write(self, home, load.address, bytes_of(load), m.last_load, cell::in_flight);
  memset(home.bytes(load.address), poison_byte, bytes_of(load));
  load.home = &home;
  load.mbarrier_address = barrier;
  load.phase = m.phase;
  issue(std::move(load));
}

void issue_loads(const async_operation &load, uint32_t barrier, uint32_t blocks) {
  check_range(barrier, 8, 8);
  const auto &all = current->home->home->blocks;
  if (blocks >> all.size() != 0)
    fault(formatted("{} is multicast to blocks {:#x} of a cluster of {}", current->instruction,
                    blocks, all.size()));
  if (blocks == 0)
    return issue_load(load, *current->home, barrier);
  for (uint32_t rank = 0; rank < all.size(); ++rank)
    if (blocks >> rank & 1)
      issue_load(load, *all[rank], barrier);
}

// The group that stores issued now belong to.
thread::bulk_group &open_bulk_group() {
  if (current->bulk_agent < 0)
    current->bulk_agent = int(current->home->home->new_agent());
  if (current->bulk_groups.size() == current->bulk_committed)
    current->bulk_groups.emplace_back();
  return current->bulk_groups.back();
}

// Marks the source and issues.
void issue_store(async_operation store) {
  thread::bulk_group &group = open_bulk_group();
  ++group.to_read;
  ++group.to_write;
  group.last = here();
  observer self(*current, proxy::async);
  note_read(self, *current->home, store.address, bytes_of(store),
            {uint32_t(current->bulk_agent), current->bulk_committed + 1, here()});
  store.group = current->bulk_committed;
  issue(std::move(store));
}

template <typename Value, typename Bits>
void add_halves(char *to, const unsigned char *from, int count, Value value, Bits bits) {
  for (int at = 0; at + 2 <= count; at += 2) {
    uint16_t old, more;
    memcpy(&old, to + at, 2);
    memcpy(&more, from + at, 2);
    old = bits(value(old) + value(more));
    memcpy(to + at, &old, 2);
  }
}

void add(char *to, const unsigned char *from, int count, int type) {
  if (type == TK_BF16)
    return add_halves(to, from, count, bf16_value, bf16_bits);
  if (type == TK_F16)
    return add_halves(to, from, count, f16_value, f16_bits);
  for (int at = 0; at + 4 <= count; at += 4) {
    float old, more;
    memcpy(&old, to + at, 4);
    memcpy(&more, from + at, 4);
    old += more;
    memcpy(to + at, &old, 4);
  }
}

void finish(thread &issuer, int &count) {
  if (--count == 0 && issuer.waiting == wait_for::bulk_groups)
    wake(issuer);
}

} // namespace

void tma_load(uint32_t destination, const CUtensorMap &map, const int *coordinates, int rank,
              uint32_t barrier, uint32_t blocks, place where) {
  TK_BEGIN("TMA load");
  be_overtaken();
  check_copy(map, coordinates, rank, destination);
  issue_loads(describe(async_operation::load, map, coordinates, destination), barrier, blocks);
}

void bulk_load(uint32_t destination, const void *source, uint32_t bytes, uint32_t barrier,
               uint32_t blocks, place where) {
  TK_BEGIN("bulk load");
  be_overtaken();
  check_bulk(source, bytes, destination);
  check_global_range(source, bytes);
  issue_loads(describe(async_operation::load, source, bytes, destination), barrier, blocks);
}

void tma_prefetch(const CUtensorMap &map, int rank, place where) {
  TK_BEGIN("TMA prefetch");
  check_map(map, rank);
}

void bulk_prefetch(const void *source, uint32_t bytes, place where) {
  TK_BEGIN("bulk prefetch");
  if (bytes % 16 != 0 || uintptr_t(source) % 16 != 0)
    fault("a bulk prefetch takes an address and a count that are multiples of 16");
}

void perform_load(const async_operation &load) {
  block &home = *load.home;
  for_each_chunk(load, [&](uint32_t address, const char *from, int count) {
    unsigned char *to = home.bytes(address);
    memset(to, 0, 16); // what is outside arrives as zeros
    if (count)
      memcpy(to, from, size_t(count));
    for (uint32_t byte = 0; byte < 16; byte += cell_bytes)
      home.at(address + byte).content = cell::value;
  });
  complete_bytes(home, load, bytes_of(load));
}

void tma_store(const CUtensorMap &map, const int *coordinates, int rank, uint32_t source, bool adds,
               place where) {
  TK_BEGIN(adds ? "TMA reduction" : "TMA store");
  be_overtaken();
  check_copy(map, coordinates, rank, source);
  for (int i = 0; i < rank; ++i)
    if (coordinates[i] < 0)
      fault(formatted("coordinate {} of a {} is {}: the GPU traps on negative ones", i,
                      current->instruction, coordinates[i]));
  const int64_t row = map.extents[0] * map.element_bytes;
  const int64_t begin = int64_t(coordinates[0]) * map.element_bytes;
  if (row % 16 != 0 && begin < row && begin + row_bytes(map) > row)
    fault(formatted("a {} reaches the end of rows of {} bytes, which is not a multiple of "
                    "16: the GPU "
                    "overwrites the {} bytes after each row with zeros",
                    current->instruction, row, 16 - row % 16),
          {{"fix",
            "let the map end at the last whole 16 bytes and store the rest with ordinary "
            "instructions",
            {}}});
  async_operation store = describe(async_operation::store_read, map, coordinates, source);
  store.adds = adds;
  issue_store(std::move(store));
}

void bulk_store(void *destination, uint32_t source, uint32_t bytes, int type, place where) {
  TK_BEGIN(type < 0 ? "bulk store" : "bulk reduction");
  be_overtaken();
  check_bulk(destination, bytes, source);
  check_global_range(destination, bytes);
  async_operation store = describe(async_operation::store_read, destination, bytes, source);
  store.adds = type >= 0;
  store.map.type = uint8_t(type);
  issue_store(std::move(store));
}

void perform_store_read(async_operation store) {
  store.data.reserve(bytes_of(store));
  for_each_chunk(store, [&](uint32_t address, const char *, int) {
    const unsigned char *from = store.home->bytes(address);
    store.data.insert(store.data.end(), from, from + 16);
  });
  finish(*store.issuer, store.issuer->bulk_groups[store.group].to_read);
  store.kind = async_operation::store_write;
  issue(std::move(store));
}

void perform_store_write(const async_operation &store) {
  const unsigned char *from = store.data.data();
  for_each_chunk(store, [&](uint32_t, char *to, int count) {
    if (count && store.adds)
      add(to, from, count, store.map.type);
    else if (count)
      memcpy(to, from, size_t(count));
    from += 16;
  });
  finish(*store.issuer, store.issuer->bulk_groups[store.group].to_write);
}

void bulk_commit(place where) {
  TK_BEGIN("cp.async.bulk.commit_group");
  open_bulk_group();
  ++current->bulk_committed;
}

void bulk_wait(int pending, bool read_only, place where) {
  TK_BEGIN(read_only ? "cp.async.bulk.wait_group.read" : "cp.async.bulk.wait_group");
  if (current->bulk_committed <= uint32_t(pending))
    return;
  const uint32_t target = current->bulk_committed - uint32_t(pending);
  const auto unfinished = [&] {
    for (uint32_t group = 0; group < target; ++group) {
      const thread::bulk_group &g = current->bulk_groups[group];
      if (g.to_read > 0 || (!read_only && g.to_write > 0))
        return true;
    }
    return false;
  };
  while (unfinished())
    wait(wait_for::bulk_groups, nullptr, target);
  current->clock.raise(uint32_t(current->bulk_agent), target);
}

void perform(async_operation operation) {
  switch (operation.kind) {
  case async_operation::load:
    return perform_load(operation);
  case async_operation::store_read:
    return perform_store_read(std::move(operation));
  case async_operation::store_write:
    return perform_store_write(operation);
  case async_operation::copy:
    return perform_copy(operation);
  case async_operation::mma:
    return perform_mma(*operation.home, operation.warpgroup);
  }
}

} // namespace tk::emulator
