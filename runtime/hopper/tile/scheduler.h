//===- tile/scheduler.h - The dynamic tile scheduler ----------------------===//
//
// Where tiles differ in work, equal shares of the grid keep some blocks busy when
// the others have nothing left. Here a block's producer takes its next tile from an atomic
// counter in global memory, and tells the consumers through two slots in shared
// memory:
//
//     producer     for (const auto [m, h, b] : tiles.scheduled(order, counter))
//     consumers    for (const auto [m, h, b] : tiles.followed<3>())
//
// A slot holds the tile's indices, not its number: the divisions that make indices
// of a number take longer than the epilogue of a tile, and the producer has time.
//
// The longest tiles come first, so that the last ones to be handed out are short.
//
// A launch that shares its counter (host/tile_counter.h says which) takes the same list in a
// static order: in each head-batch group every other wave goes backwards, and so does
// every other group, since lengths fall steadily in a group and start again in the next.
//
//     block             0   1   2
//     first group       0   1   2
//                       5   4   3
//                       6   7
//     second group     10   9   8
//                      11  12  13
//                          15  14
//
// A slot is given back as soon as it is read, before any work on its tile. So the
// scheduler never waits for a stage of a tile ring, and adds no way to hang.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_SCHEDULER_H
#define TK_TILE_SCHEDULER_H

#include <ptx/atomic.h>
#include <ptx/memory.h>
#include <tile/grid.h>
#include <tile/parameters.h>
#include <tile/ring.h>

namespace tk {

TK_DEVICE uint32_t tile_counter::take() const { return atom_global_add_u32(words, 1); }

TK_DEVICE void tile_counter::finish() const {
  if (!is_static && atom_global_add_u32(words + 1, 1) + 1 == gridDim.x) {
    st_global_b32(words, 0);
    st_global_b32(words + 1, 0);
  }
}

// The tile after tile `index` of a block in the static order, `count` if there is none; the first one is the block's
// number. `group` tiles at a time follow one another by length; groups smaller than a wave are taken together.
TK_HOST_DEVICE uint32_t next_static(uint32_t index, uint32_t block, uint32_t blocks, uint32_t group, uint32_t count) {
  group *= (blocks + group - 1) / group;
  uint32_t number = index / group, first = number * group;
  const uint32_t wave = (index - first) / blocks + 1, other = blocks - 1 - block;
  uint32_t next = wave * blocks + (wave % 2 == number % 2 ? block : other);
  while (next >= group || first + next >= count) {
    first += group;
    if (first >= count)
      return count;
    next = ++number % 2 == 0 ? block : other;
  }
  return first + next;
}

template <typename order> struct scheduled_tiles;
template <int rank> struct followed_tiles;

class tile_scheduler {
public:
  static constexpr int slots = 2;
  static constexpr int bytes = slots * (8 + 8 + 16); // mbarriers full and empty, and up to four indices
  static constexpr int no_tile = -1;                 // as the first index

  TK_DEVICE explicit tile_scheduler(uint32_t address) : address(address) {}

  // By one thread, before any use; `readers` warps follow.
  TK_DEVICE void init(uint32_t readers) const {
    full().init(1);
    empty().init(readers);
  }

  // By one thread of the block.
  template <typename order> TK_DEVICE scheduled_tiles<order> scheduled(const order &tiles, tile_counter counter) const;
  // By all of the warps that init was told of.
  template <int rank> TK_DEVICE followed_tiles<rank> followed() const;

  template <typename tile_index> TK_DEVICE void tell(ring_cursor<slots> &fill, const tile_index &tile) const {
    empty().wait(fill.stage, fill.phase ^ 1);
    put(slot(fill.stage), tile);
    mbarrier_arrive(full()[fill.stage].address);
    fill.advance();
  }
  // The tile of the last tell(), by the thread that called it.
  template <typename tile_index> TK_DEVICE tile_index told(const ring_cursor<slots> &fill) const {
    return words(slot(slots - 1 - fill.stage), tile_index());
  }
  template <typename tile_index> TK_DEVICE tile_index read(ring_cursor<slots> &use) const {
    full().wait(use.stage, use.phase);
    const tile_index tile = uniform(words(slot(use.stage), tile_index()));
    empty().arrive(use.stage);
    use.advance();
    return tile;
  }

private:
  uint32_t address;

  TK_DEVICE barrier_ring<slots> full() const { return barrier_ring<slots>(address); }
  TK_DEVICE barrier_ring<slots> empty() const { return barrier_ring<slots>(address + slots * 8); }
  TK_DEVICE uint32_t slot(int stage) const { return address + slots * 16 + stage * 16; }

  TK_DEVICE static void put(uint32_t at, int x) { st_shared_b32(at, uint32_t(x)); }
  TK_DEVICE static void put(uint32_t at, tile_index_2 tile) { put(at, tile.x), put(at + 4, tile.y); }
  TK_DEVICE static void put(uint32_t at, tile_index_3 tile) {
    put(at, tile.x), put(at + 4, tile.y), put(at + 8, tile.z);
  }
  TK_DEVICE static void put(uint32_t at, tile_index_4 tile) {
    put(at, tile_index_3{tile.x, tile.y, tile.z}), put(at + 12, tile.w);
  }

  TK_DEVICE static int words(uint32_t at, int) { return int(ld_shared_b32(at)); }
  TK_DEVICE static tile_index_2 words(uint32_t at, tile_index_2) { return {words(at, 0), words(at + 4, 0)}; }
  TK_DEVICE static tile_index_3 words(uint32_t at, tile_index_3) {
    return {words(at, 0), words(at + 4, 0), words(at + 8, 0)};
  }
  TK_DEVICE static tile_index_4 words(uint32_t at, tile_index_4) {
    return {words(at, 0), words(at + 4, 0), words(at + 8, 0), words(at + 12, 0)};
  }

  // The same in all lanes, and known to be.
  TK_DEVICE static int uniform(int index) { return __shfl_sync(0xffffffff, index, 0); }
  TK_DEVICE static tile_index_2 uniform(tile_index_2 tile) { return {uniform(tile.x), uniform(tile.y)}; }
  TK_DEVICE static tile_index_3 uniform(tile_index_3 tile) {
    return {uniform(tile.x), uniform(tile.y), uniform(tile.z)};
  }
  TK_DEVICE static tile_index_4 uniform(tile_index_4 tile) {
    return {uniform(tile.x), uniform(tile.y), uniform(tile.z), uniform(tile.w)};
  }
};

struct no_more_tiles {};

// The producer's range of tiles. The first two tiles of block b of G are b and 2 G - 1 - b, the long ones with the
// short ones: takes as the launch begins would come in the order of the blocks, and give the longest tile of the first
// ones the longest of the second ones. The others are taken, one ahead, since that takes as long as a load from memory.
template <typename order> struct scheduled_tiles {
  using tile_index = decltype(static_cast<const order *>(nullptr)->at(0));

  struct iterator {
    order tiles;
    tile_scheduler scheduler;
    tile_counter counter;
    ring_cursor<tile_scheduler::slots> fill;
    uint32_t next; // as taken, from two tiles for each block on
    int index;

    // As it was told: to divide once more takes longer, and to keep it more registers than the producer has.
    TK_DEVICE tile_index operator*() const { return scheduler.template told<tile_index>(fill); }
    TK_DEVICE void operator++() {
      index = counter.is_static ? int(next_static(uint32_t(index), blockIdx.x, gridDim.x, uint32_t(tiles.group()),
                                                  uint32_t(tiles.count())))
                                : int(2 * gridDim.x + next);
      tell();
      if (index < tiles.count())
        next = counter.take();
    }
    TK_DEVICE void tell() {
      if (index < tiles.count())
        scheduler.tell(fill, tiles.at(index));
      else
        scheduler.tell(fill, tile_index_4{tile_scheduler::no_tile, 0, 0, 0});
    }
    TK_DEVICE bool operator!=(no_more_tiles) const {
      if (index < tiles.count())
        return true;
      counter.finish();
      return false;
    }
  };

  order tiles;
  tile_scheduler scheduler;
  tile_counter counter;

  TK_DEVICE iterator begin() const {
    iterator first{tiles, scheduler, counter, {}, ~blockIdx.x, int(blockIdx.x)}; // ~b is -1 - b
    first.tell();
    return first;
  }
  TK_DEVICE no_more_tiles end() const { return {}; }
};

TK_DEVICE int first_index(int tile) { return tile; }
template <typename tile_index> TK_DEVICE int first_index(const tile_index &tile) { return tile.x; }

template <int rank> struct tile_index_of_rank {
  using type = int;
};
template <> struct tile_index_of_rank<2> {
  using type = tile_index_2;
};
template <> struct tile_index_of_rank<3> {
  using type = tile_index_3;
};
template <> struct tile_index_of_rank<4> {
  using type = tile_index_4;
};

// The consumers' range of tiles.
template <int rank> struct followed_tiles {
  using tile_index = typename tile_index_of_rank<rank>::type;

  struct iterator {
    tile_scheduler scheduler;
    ring_cursor<tile_scheduler::slots> use;
    tile_index tile;

    TK_DEVICE const tile_index &operator*() const { return tile; }
    TK_DEVICE void operator++() { tile = scheduler.template read<tile_index>(use); }
    TK_DEVICE bool operator!=(no_more_tiles) const { return first_index(tile) != tile_scheduler::no_tile; }
  };

  tile_scheduler scheduler;

  TK_DEVICE iterator begin() const {
    iterator first{scheduler, {}, {}};
    ++first;
    return first;
  }
  TK_DEVICE no_more_tiles end() const { return {}; }
};

template <typename order>
TK_DEVICE scheduled_tiles<order> tile_scheduler::scheduled(const order &tiles, tile_counter counter) const {
  return {tiles, *this, counter};
}
template <int rank> TK_DEVICE followed_tiles<rank> tile_scheduler::followed() const { return {*this}; }

} // namespace tk

#endif // TK_TILE_SCHEDULER_H
