//===- core/tma.cpp - Boxes between global and shared memory, late --------===//
//
// At issue a copy is checked and its shared memory is marked: that of a load is
// poisoned and in flight, that of a store is being read. Later, when the
// scheduler says so, a load lands and completes its bytes; a store first reads
// its source, and later still writes the tensor.
//
// In shared memory the rows of a box follow one another, permuted by the swizzle
// within each row.
//
//===----------------------------------------------------------------------===//
#include "core/memory.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"

#include <cstring>
#include <fmt/format.h>

namespace tk::emulator {
namespace {

uint32_t row_bytes(const CUtensorMap &map) { return uint32_t(map.box[0]) * map.element_bytes; }

uint32_t box_bytes(const CUtensorMap &map) {
  uint32_t bytes = map.element_bytes;
  for (int i = 0; i < map.rank; ++i)
    bytes *= map.box[i];
  return bytes;
}

void check_copy(const CUtensorMap &map, const int *coordinates, int rank, uint32_t address) {
  if (map.magic != tensor_map_magic)
    fault(fmt::format("{} is given something that is not a tensor map", current->instruction));
  if (map.rank != rank)
    fault(fmt::format("{} has {} coordinates but the tensor map has rank {}", current->instruction,
                      rank, map.rank));
  if (int64_t(coordinates[0]) * map.element_bytes % 16 != 0)
    fault(fmt::format("the first coordinate of a {} is {}, or {} bytes, when it should be a "
                      "multiple of 16 bytes: the "
                      "GPU traps",
                      current->instruction, coordinates[0],
                      int64_t(coordinates[0]) * map.element_bytes));
  if (map.swizzle != 16 && row_bytes(map) != map.swizzle)
    fault(fmt::format("a box's rows are {} bytes when the {}-byte swizzle takes exactly that many",
                      row_bytes(map), map.swizzle));
  check_range(address, box_bytes(map), 128);
  check_dependency();
}

// Calls visit(chunk's address in shared memory, its bytes in the tensor, how many of the 16 are
// inside) for each 16 bytes of the box; those outside come with null.
template <typename Visit> void for_each_chunk(const async_operation &copy, Visit visit) {
  const CUtensorMap &map = copy.map;
  const uint32_t row = row_bytes(map);
  uint32_t rows = 1;
  for (int i = 1; i < map.rank; ++i)
    rows *= map.box[i];

  for (uint32_t r = 0; r < rows; ++r) {
    bool inside = true;
    char *line = static_cast<char *>(map.data);
    uint32_t rest = r;
    for (int i = 1; i < map.rank; ++i) {
      const int64_t at = copy.coordinates[i] + int64_t(rest % map.box[i]);
      rest /= map.box[i];
      inside &= at >= 0 && at < map.extents[i];
      line += at * map.strides[i - 1];
    }
    for (uint32_t byte = 0; byte < row; byte += 16) {
      const int64_t first = int64_t(copy.coordinates[0]) * map.element_bytes + byte;
      const int64_t left = map.extents[0] * map.element_bytes - first;
      const int count = !inside || first < 0 || left <= 0 ? 0 : left < 16 ? int(left) : 16;
      visit(swizzled(copy.address + r * row + byte, map.swizzle), count ? line + first : nullptr,
            count);
    }
  }
}

async_operation describe(async_operation::operation_kind kind, const CUtensorMap &map,
                         const int *coordinates, uint32_t address) {
  async_operation operation = {};
  operation.kind = kind;
  operation.home = current->home;
  operation.issuer = current;
  operation.map = map;
  std::copy(coordinates, coordinates + map.rank, operation.coordinates);
  operation.address = address;
  operation.issued = site_of(*current);
  return operation;
}

// The group that stores issued now belong to.
thread::bulk_group &open_bulk_group() {
  if (current->bulk_agent < 0)
    current->bulk_agent = int(current->home->new_agent());
  if (current->bulk_groups.size() == current->bulk_committed)
    current->bulk_groups.emplace_back();
  return current->bulk_groups.back();
}

} // namespace

void tma_load(uint32_t destination, const CUtensorMap &map, const int *coordinates, int rank,
              uint32_t barrier, place where) {
  TK_BEGIN("TMA load");
  be_overtaken();
  check_copy(map, coordinates, rank, destination);
  mbarrier &m = barrier_at(barrier);
  if (m.fenced.counter == 0 || current->clock[m.fenced.component] < m.fenced.counter)
    fault(fmt::format(
              "a TMA load is to complete on {}, but no fence_mbarrier_init by the thread that "
              "initialised it is "
              "known to the thread that issues the load: TMA may not see the barrier initialised",
              name_of_barrier(m)),
          {{"initialised", fmt::format("by thread {}", m.initialised.component),
            site_at(m.initialised.site)}});

  const uint32_t bytes = box_bytes(map);
  observer self(*current, proxy::async);
  m.last_load = {m.agent, m.phase + 1, here()};
  note_write(self, destination, bytes, m.last_load, cell::in_flight);
  memset(current->home->bytes(destination), poison_byte, bytes);

  async_operation load = describe(async_operation::load, map, coordinates, destination);
  load.mbarrier_address = barrier;
  load.phase = m.phase;
  issue(std::move(load));
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
  complete_bytes(home, load, box_bytes(load.map));
}

void tma_store(const CUtensorMap &map, const int *coordinates, int rank, uint32_t source,
               place where) {
  TK_BEGIN("TMA store");
  be_overtaken();
  check_copy(map, coordinates, rank, source);
  for (int i = 0; i < rank; ++i)
    if (coordinates[i] < 0)
      fault(fmt::format("coordinate {} of a TMA store is {}: the GPU traps on negative ones", i,
                        coordinates[i]));
  const int64_t row = map.extents[0] * map.element_bytes;
  const int64_t begin = int64_t(coordinates[0]) * map.element_bytes;
  if (row % 16 != 0 && begin < row && begin + row_bytes(map) > row)
    fault(fmt::format("a TMA store reaches the end of rows of {} bytes, which is not a multiple of "
                      "16: the GPU "
                      "overwrites the {} bytes behind each row with zeros",
                      row, 16 - row % 16),
          {{"fix",
            "let the map end at the last whole 16 bytes and store the rest with ordinary "
            "instructions",
            {}}});

  thread::bulk_group &group = open_bulk_group();
  ++group.to_read;
  ++group.to_write;
  observer self(*current, proxy::async);
  note_read(self, source, box_bytes(map),
            {uint32_t(current->bulk_agent), current->bulk_committed + 1, here()});

  async_operation store = describe(async_operation::store_read, map, coordinates, source);
  store.group = current->bulk_committed;
  issue(std::move(store));
}

void perform_store_read(async_operation store) {
  store.data.reserve(box_bytes(store.map));
  for_each_chunk(store, [&](uint32_t address, const char *, int) {
    const unsigned char *from = store.home->bytes(address);
    store.data.insert(store.data.end(), from, from + 16);
  });
  thread &issuer = *store.issuer;
  if (--issuer.bulk_groups[store.group].to_read == 0 && issuer.waiting == wait_for::bulk_groups)
    wake(issuer);
  store.kind = async_operation::store_write;
  issue(std::move(store));
}

void perform_store_write(const async_operation &store) {
  const unsigned char *from = store.data.data();
  for_each_chunk(store, [&](uint32_t, char *to, int count) {
    if (count)
      memcpy(to, from, size_t(count));
    from += 16;
  });
  thread &issuer = *store.issuer;
  if (--issuer.bulk_groups[store.group].to_write == 0 && issuer.waiting == wait_for::bulk_groups)
    wake(issuer);
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
  case async_operation::product:
    return perform_product(*operation.home, operation.warpgroup);
  }
}

} // namespace tk::emulator
