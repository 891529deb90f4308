//===- host/choice.h - Which of several kernels is the fastest ------------===//
//
// The compiler knows what one iteration of each loop costs, the launcher knows
// how often they run and how many tiles there are. Blocks work in waves, as many
// at once as the device has SMs; the last wave takes as long as the
// others, however few tiles are left for it.
//
// A large MMA runs into the power limit, so its loads cost time even where they
// arrive early enough. Rows of a tensor that do not begin with a line of L2 take
// more lines and sectors for each row of a tile: a bf16 matrix of 2952 columns is
// slower to load than one of 2944. The compiler knows how much, for its target.
//
// Where tkc tune has measured, its table comes first.
//
// Plain C++: the GPU's and the emulator's launchers share it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_CHOICE_H
#define TK_HOST_CHOICE_H

#include <host/arguments.h>

#include <initializer_list>
#include <stdint.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

// How often a loop is taken to run whose bounds only the blocks know.
constexpr int unknown_trips = 8;

// The cost of launches on the device that the kernels are for.
struct launch_model {
  double fill_and_drain;     // cycles of a launch beside its tiles: set-up, the first loads, the last stores
  double power_of_loads;     // cycles of MMAs for each cycle of loads
  double rows_within_line;   // how much longer loads take of rows that begin within a line of 128 bytes,
  double rows_within_sector; // and within a sector of 32
};

struct tile_work {
  launch_model model;
  int64_t tiles = 0;    // of the grid
  double computes = 0;  // cycles of one tile's MMAs and elementwise work
  double loads = 0;     // cycles that its loads take from L2
  bool dynamic = false; // by blocks that are free, the longest tiles first
};

// How much longer a tensor's rows take to arrive than rows that begin with a line.
inline double row_factor(const launch_model &model, const tk_tensor &tensor) {
  uint64_t starts = reinterpret_cast<uintptr_t>(tensor.data);
  for (int i = 0; i + 1 < tensor.rank; ++i)
    if (tensor.extents[i] > 1)
      starts |= uint64_t(tensor.strides[i] * dtype_bytes(tensor.dtype));
  return starts % 32 ? model.rows_within_sector : starts % 128 ? model.rows_within_line : 1;
}

// A tensor that a tile loads from, and how many bytes of it beside the other tensors'.
struct loaded_tensor {
  const tk_tensor *tensor;
  double bytes;
};

// The mean of what a tile loads.
inline double row_factor(const launch_model &model, std::initializer_list<loaded_tensor> loaded) {
  double sum = 0, bytes = 0;
  for (const loaded_tensor &each : loaded) {
    sum += each.bytes * row_factor(model, *each.tensor);
    bytes += each.bytes;
  }
  return bytes > 0 ? sum / bytes : 1;
}

// Cycles from launch to end.
inline double predicted_cycles(const tile_work &work, int num_sms) {
  const double computes = work.computes + work.model.power_of_loads * work.loads;
  const double tile = computes > work.loads ? computes : work.loads;
  const int64_t waves = (work.tiles + num_sms - 1) / num_sms;
  // Tiles of different lengths even out; the last ones are short.
  const double lengths = work.dynamic && waves > 1 ? double(work.tiles) / num_sms + 0.5 : double(waves);
  return work.model.fill_and_drain + lengths * tile;
}

// The number of the smallest, of equal ones the first.
inline int32_t cheapest(std::initializer_list<double> cycles) {
  int32_t number = 0, best = 0;
  double least = 0;
  for (const double each : cycles) {
    if (number == 0 || each < least) {
      least = each;
      best = number;
    }
    ++number;
  }
  return best;
}

// Extents that were measured, and which kernel was the fastest for them.
template <int places> struct measured {
  int64_t extents[places];
  int32_t choice;
};

// Sets the number of the kernel that was the fastest for these extents, if they were measured.
template <int places, int count>
bool find_measured(const measured<places> (&rows)[count], const int64_t (&extents)[places], int32_t &choice) {
  for (const measured<places> &row : rows) {
    bool same = true;
    for (int i = 0; i < places; ++i)
      same = same && row.extents[i] == extents[i];
    if (same) {
      choice = row.choice;
      return true;
    }
  }
  return false;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_CHOICE_H
