//===- host/tile_counter.h - The atomic tile counter of each launch -------===//
#ifndef TK_EMULATOR_HOST_TILE_COUNTER_H
#define TK_EMULATOR_HOST_TILE_COUNTER_H

#include <host/note_tensor.h>
#include <host/status.h>
#include <tile/scheduler.h>

namespace tk {
namespace host {

// A launch runs to its end before it returns, so one counter serves them all; it is cleared for
// each, since a launch may end in a fault. Some launches have the static order, as captured ones on
// the GPU.
inline tk_status next_tile_counter(const char *, tk_stream, tile_counter &counter) {
  static uint32_t words[2];
  words[0] = words[1] = 0;
  counter = {words, emulator::has_static_order()};
  note_memory("the counter of tiles", words, sizeof(words));
  return ok_status();
}

} // namespace host
} // namespace tk

#endif // TK_EMULATOR_HOST_TILE_COUNTER_H
