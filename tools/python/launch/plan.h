//===- plan.h - A launch plan, as the launcher reads it -------------------===//
//
// The content of --emit=plan (docs/python.md) without its texts. Plain data: what
// Python made of the JSON is copied here once, and a call only reads it.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_LAUNCH_PLAN_H
#define TKC_LAUNCH_PLAN_H

#include <cuda.h>
#include <host/arguments.h>
#include <host/choice.h>
#include <stdint.h>

namespace launch {

constexpr int most_arguments = 64, most_parameters = 128, most_names = 96;

enum class op : uint8_t {
  constant, // `number`
  value,    // number `index` of the launch's values
  add,
  sub,
  mul,
  div,
  rem,
  ceil_div,
  min,
  max,
  and_,
  or_,
  xor_,
  shl,
  shr,
  select,
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  fadd,
  fmul,
  count
};

struct postfix_item {
  op what;
  int32_t index;
  double number;
};

struct expression {
  int32_t length = 0;
  postfix_item *items = nullptr;
};

// Of the C function. A scalar's `dtype` is TK_F32, TK_I32 or `boolean`.
struct argument {
  static constexpr int boolean = 100;
  char *name = nullptr;
  bool is_tensor = false;
  int32_t dtype = 0, rank = 0;
};

enum class requirement_kind : uint8_t {
  tensor,
  elements,
  extent,
  same_extent,
  written,
  fragments,
  rounded_extent
};
struct requirement {
  requirement_kind kind;
  int32_t a, b, dim_a, dim_b;
  int64_t extent;
};

enum class parameter_kind : uint8_t { tensor_map, view, tile_counter, extent, scalar };
struct parameter {
  parameter_kind kind;
  int32_t argument, dim; // of an extent
  int32_t box[4];        // of a tensor map, ones in front
  int32_t swizzle;
  int64_t loaded_bytes; // of a tile through this map, beside other maps'
  bool is_output, is_for_parts;
  int32_t offset; // in the kernel's arguments
};

// A kernel as one context has loaded it.
struct loaded_kernel {
  unsigned long long context;
  void *function;
  uint32_t *counters; // null if it has none
};

struct kernel {
  char *name = nullptr, *symbol = nullptr;
  int32_t requirement_count = 0, parameter_count = 0, tile_count = 0;
  requirement *requirements = nullptr;
  parameter *parameters = nullptr;
  expression *tiles = nullptr;
  expression computes, loads; // of one tile; of a kernel that is chosen
  tk::host::launch_model model{};
  bool has_middle = false; // the costs depend on the tile
  bool is_dynamic = false;
  int32_t threads = 0, shared_bytes = 0, cluster = 1, blocks_per_sm = 1;
  bool is_persistent = true, overlaps = true;
  int32_t argument_bytes = 0;

  char *cubin = nullptr;
  int32_t loaded_count = 0;
  loaded_kernel *loaded = nullptr;
};

union scalar {
  float f32;
  int32_t i32;
  bool boolean;
};

// Extents for which a kernel of a choice was measured to be the fastest (host/choice.h).
constexpr int most_places = 16;
struct measured_place {
  int32_t argument, dim;
};
struct measured_row {
  int64_t extents[most_places];
  int32_t kernel;
};

// A launch as it was made last: of which tensors and numbers, and what the driver was handed. All
// of it follows from these, the context and the plan, so a call with the same ones skips checks,
// tensor maps and the grid.
struct known_launch {
  unsigned long long context;
  int32_t device;
  kernel *of; // null: there is none yet
  void *function;
  uint32_t *counters;
  unsigned blocks, shared_bytes;
  tk_tensor *tensors; // of the function's arguments, in their order
  scalar *scalars;
  char *bytes; // of the kernel's arguments
  int readers; // launches that the driver reads them for; they stay until it has
};

// Whoever calls a kernel again mostly has the same tensors, or those of one of a few layers.
struct known_launches {
  static constexpr int places = 8;
  known_launch entries[places];
  int next = 0;
  void *memory = nullptr;
};

// A C function: a kernel, or a choice among several.
struct function {
  char *name = nullptr;
  int32_t argument_count = 0, requirement_count = 0, kernel_count = 0;
  argument *arguments = nullptr;
  requirement *requirements = nullptr;
  kernel *kernels = nullptr;
  bool is_choice = false;
  int32_t measured_sms = 0, place_count = 0, row_count = 0; // of the device that was measured
  measured_place *places = nullptr;
  measured_row *rows = nullptr;
  known_launches known;
  // On the CPU: the emulator or the reference.
  tk_status (*on_cpu)(const tk_tensor *, const scalar *) = nullptr;
};

// What a kernel is launched with.
struct call {
  tk_tensor tensors[most_arguments]; // by argument
  scalar scalars[most_arguments];    // by argument
  int device = 0;                    // less than 0 is the CPU
  void *stream = nullptr;
};

// Values of an expression are the kernel's parameters, by their number, and these two.
constexpr int upper_value = most_parameters, unknown_trips_value = most_parameters + 1;

// What must hold, in order; `done` says that there is nothing to launch, with TK_OK where no output
// has an element.
tk_status check(const char *name, const function &of, const requirement *requirements, int count,
                const call &with, bool &done);

// False where a division has no result.
bool evaluate(const expression &of, const int64_t *values, double &result);

} // namespace launch

#endif // TKC_LAUNCH_PLAN_H
