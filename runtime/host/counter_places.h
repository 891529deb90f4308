//===- host/counter_places.h - Which stream has which tile counter --------===//
//
// See host/tile_counter.h for why a counter belongs to a stream. Plain C++: every
// launcher shares it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_COUNTER_PLACES_H
#define TK_HOST_COUNTER_PLACES_H

#include <atomic>
#include <stdint.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

constexpr unsigned tile_counters = 4096;

// The place of the stream that goes by this number, not 0; tile_counters if it has none.
inline unsigned tile_counter_place(uint64_t number) {
  static std::atomic<uint64_t> owners[tile_counters];
  constexpr unsigned probes = 64; // or the last streams would look through all places in each launch
  for (unsigned i = 0; i < probes; ++i) {
    const unsigned place = unsigned((number + i) % tile_counters);
    uint64_t owner = owners[place].load(std::memory_order_relaxed);
    if (owner == 0 && owners[place].compare_exchange_strong(owner, number, std::memory_order_relaxed))
      return place;
    if (owner == number)
      return place;
  }
  return tile_counters;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_COUNTER_PLACES_H
