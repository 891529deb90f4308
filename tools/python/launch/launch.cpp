//===- launch.cpp - A call of a function of a plan ------------------------===//
//
// The counterpart of an emitted C function and of host/launch.h, through the
// driver: the checks, limits and sentences are those of runtime/host, which both
// include. Callers hold a lock (the interpreter's), but for the launch itself.
//
//===----------------------------------------------------------------------===//
#include "launch.h"

#include "context.h"

#include <host/choice.h>
#include <host/counter_places.h>
#include <host/global.h>
#include <host/grid_blocks.h>
#include <host/map_dimensions.h>
#include <host/output_map.h>

using namespace tk;
using namespace launch;

around_launch launch::interpreter = {nullptr, nullptr};

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static int map_type(int32_t dtype) {
  return dtype == TK_BF16  ? number::map_bf16
         : dtype == TK_F16 ? number::map_f16
         : dtype == TK_F32 ? number::map_f32
         : dtype == TK_I32 ? number::map_i32
                           : number::map_u8; // eight bits are eight bits to TMA
}

static int map_swizzle(int swizzle) {
  return swizzle == 128  ? number::swizzle_128
         : swizzle == 64 ? number::swizzle_64
         : swizzle == 32 ? number::swizzle_32
                         : number::no_swizzle;
}

static tk_status encode(const kernel &of, const parameter &as, const tk_tensor *tensor,
                        CUtensorMap *map) {
  const host::map_dimensions dimensions = as.is_for_parts
                                              ? host::dimensions_of_parts(tensor, as.box)
                                              : host::dimensions_of(tensor, as.box);
  uint64_t extents[5] = {}, strides[5] = {};
  uint32_t box[5] = {}, steps[5] = {};
  for (int i = 0; i < dimensions.rank; ++i) {
    extents[i] = uint64_t(dimensions.extents[i]);
    strides[i] = uint64_t(dimensions.strides[i]);
    box[i] = uint32_t(dimensions.box[i]);
    steps[i] = 1;
  }
  const CUresult error = driver.cuTensorMapEncodeTiled(
      map, map_type(tensor->dtype), uint32_t(dimensions.rank), tensor->data, extents, strides + 1,
      box, steps, number::no_interleave, map_swizzle(as.swizzle), number::promotion_128,
      number::zeros_outside);
  if (error)
    return host::make_status(
        TK_LAUNCH_FAILED, of.name,
        "the driver refused a tensor map (error %d) of extents %lld x %lld with boxes of %d x %d",
        error, dimensions.rank > 1 ? (long long)extents[1] : 1LL, (long long)extents[0],
        dimensions.rank > 1 ? int(box[1]) : 1, int(box[0]));
  return host::ok_status();
}

static tk_status put_map(const kernel &of, const parameter &as, const tk_tensor *tensor, char *to) {
  memset(to, 0, sizeof(CUtensorMap));
  if (!as.is_output)
    return encode(of, as, tensor, reinterpret_cast<CUtensorMap *>(to));
  tk_status status = host::ok_status();
  const output_map output = host::make_output_map(tensor, [&](const tk_tensor *whole) {
    CUtensorMap map;
    memset(&map, 0, sizeof(map));
    status = encode(of, as, whole, &map);
    return map;
  });
  memcpy(to, &output, sizeof(output));
  return status;
}

//===----------------------------------------------------------------------===//
// What was launched before
//===----------------------------------------------------------------------===//

static bool is_same(const tk_tensor &a, const tk_tensor &b) {
  if (a.data != b.data || a.dtype != b.dtype || a.rank != b.rank)
    return false;
  for (int i = 0; i < a.rank; ++i)
    if (a.extents[i] != b.extents[i] || a.strides[i] != b.strides[i])
      return false;
  return true;
}

static bool are_same(const function &of, const call &with, const known_launch &known) {
  for (int i = 0; i < of.argument_count; ++i)
    if (of.arguments[i].is_tensor
            ? !is_same(with.tensors[i], known.tensors[i])
            : memcmp(&with.scalars[i], &known.scalars[i], sizeof(scalar)) != 0)
      return false;
  return true;
}

// The launch of the same tensors and numbers in the current context; null if there was none.
static known_launch *find_known(function &of, const call &with) {
  unsigned long long context = 0;
  if (!of.known.memory || driver.cuCtxGetId(nullptr, &context) != 0)
    return nullptr;
  for (known_launch &each : of.known.entries)
    if (each.of && each.context == context && each.device == with.device &&
        are_same(of, with, each))
      return &each;
  return nullptr;
}

// In the place of the oldest.
static void remember(function &of, const call &with, const known_launch &packed,
                     const char *bytes) {
  known_launch &to = of.known.entries[of.known.next];
  if (!of.known.memory || to.readers)
    return;
  of.known.next = (of.known.next + 1) % known_launches::places;
  known_launch fresh = packed;
  fresh.tensors = to.tensors;
  fresh.scalars = to.scalars;
  fresh.bytes = to.bytes;
  to = fresh;
  memcpy(to.bytes, bytes, size_t(packed.of->argument_bytes));
  memcpy(to.tensors, with.tensors, size_t(of.argument_count) * sizeof(tk_tensor));
  memcpy(to.scalars, with.scalars, size_t(of.argument_count) * sizeof(scalar));
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

template <int rank> static void put_view(const tk_tensor *tensor, char *to) {
  const gl<char, rank> view = host::global<char, rank>(tensor);
  memcpy(to, &view, sizeof(view));
}

// The counter of the stream's next launch, or the static order: host/tile_counter.h says why.
static tk_status next_counter(const kernel &of, uint32_t *words, void *stream, char *to) {
  int capture = 0;
  if (const CUresult error = driver.cuStreamIsCapturing(stream, &capture))
    return host::make_status(TK_LAUNCH_FAILED, of.name, "the stream takes no launch: %s",
                             describe(error));
  unsigned place = host::tile_counters;
  if (!capture) {
    uint64_t number = 0;
    if (reinterpret_cast<uintptr_t>(stream) == 2) { // the stream that each thread has of its own
      static std::atomic<uint64_t> threads{0};
      thread_local uint64_t own = 0;
      if (!own)
        own = UINT64_C(1) << 63 | ++threads;
      number = own;
    } else {
      unsigned long long id = 0;
      if (const CUresult error = driver.cuStreamGetId(stream, &id))
        return host::make_status(TK_LAUNCH_FAILED, of.name, "the stream takes no launch: %s",
                                 describe(error));
      number = uint64_t(id) + 1;
    }
    place = host::tile_counter_place(number);
  }
  const tile_counter counter = {words + 2 * place, place == host::tile_counters};
  memset(to, 0, sizeof(counter));
  memcpy(to, static_cast<const void *>(&counter.words), sizeof(counter.words));
  memcpy(to + offsetof(tile_counter, is_static), &counter.is_static, 1);
  return host::ok_status();
}

// Of a kernel's expressions: what its extents and integer scalars are.
static void collect_values(const kernel &of, const function &in, const call &with,
                           int64_t *values) {
  for (int i = 0; i < of.parameter_count; ++i) {
    const parameter &each = of.parameters[i];
    values[i] = 0;
    if (each.kind == parameter_kind::extent)
      values[i] = int(with.tensors[each.argument].extents[each.dim]);
    else if (each.kind == parameter_kind::scalar)
      values[i] = in.arguments[each.argument].dtype == argument::boolean
                      ? with.scalars[each.argument].boolean
                      : with.scalars[each.argument].i32;
  }
  values[unknown_trips_value] = host::unknown_trips;
}

static bool count_tiles(const kernel &of, const int64_t *values, int64_t &tiles) {
  tiles = 1;
  int64_t extents[8] = {};
  for (int i = 0; i < of.tile_count; ++i) {
    double extent = 0;
    if (!evaluate(of.tiles[i], values, extent))
      return false;
    extents[i] = int64_t(extent);
  }
  if (of.tile_count == 1)
    tiles = extents[0];
  else if (of.tile_count > 1)
    tiles = host::tile_count(extents, extents + of.tile_count);
  return true;
}

static tk_status no_tile_count(const kernel &of) {
  return host::make_status(TK_INVALID_ARGUMENT, of.name,
                           "the extents of the grid divide by 0; give its integers other values");
}

// Writes the kernel's arguments where its parameters lie, but for the tile counter, which is the
// stream's.
static tk_status put_arguments(const kernel &of, const call &with, const int64_t *values,
                               char *bytes) {
  tk_status status = host::ok_status();
  for (int i = 0; i < of.parameter_count && status.code == TK_OK; ++i) {
    const parameter &each = of.parameters[i];
    char *to = bytes + each.offset;
    const tk_tensor *tensor = &with.tensors[each.argument];
    switch (each.kind) {
    case parameter_kind::tensor_map:
      status = put_map(of, each, tensor, to);
      break;
    case parameter_kind::view:
      (tensor->rank == 1   ? put_view<1>
       : tensor->rank == 2 ? put_view<2>
       : tensor->rank == 3 ? put_view<3>
                           : put_view<4>)(tensor, to);
      break;
    case parameter_kind::tile_counter:
      break;
    case parameter_kind::extent: {
      const int32_t extent = int32_t(values[i]);
      memcpy(to, &extent, sizeof(extent));
      break;
    }
    case parameter_kind::scalar:
      memcpy(to, &with.scalars[each.argument], sizeof(scalar));
      break;
    }
  }
  return status;
}

// Launches what is packed; the context is current.
static tk_status launch_packed(const known_launch &packed, void *stream, char *bytes) {
  const kernel &of = *packed.of;
  void *pointers[most_parameters];
  for (int i = 0; i < of.parameter_count; ++i)
    pointers[i] = bytes + of.parameters[i].offset;
  if (of.is_dynamic)
    for (int i = 0; i < of.parameter_count; ++i)
      if (of.parameters[i].kind == parameter_kind::tile_counter) {
        const tk_status status =
            next_counter(of, packed.counters, stream, bytes + of.parameters[i].offset);
        if (status.code != TK_OK)
          return status;
      }
  CUlaunchAttribute attributes[2];
  memset(attributes, 0, sizeof(attributes));
  attributes[0].id = number::launch_overlaps;
  attributes[0].value.overlaps = of.overlaps;
  attributes[1].id = number::launch_cluster;
  attributes[1].value.cluster = {unsigned(of.cluster), 1, 1};
  CUlaunchConfig config;
  memset(&config, 0, sizeof(config));
  config.grid[0] = packed.blocks;
  config.block[0] = unsigned(of.threads);
  config.grid[1] = config.grid[2] = config.block[1] = config.block[2] = 1;
  config.shared_bytes = packed.shared_bytes;
  config.stream = stream;
  config.attributes = attributes;
  config.attribute_count = of.cluster > 1 ? 2 : 1;
  void *state =
      interpreter.leave ? interpreter.leave() : nullptr; // a full queue makes the driver wait
  const CUresult error = driver.cuLaunchKernelEx(&config, packed.function, pointers, nullptr);
  if (interpreter.enter)
    interpreter.enter(state);
  if (error)
    return host::make_status(TK_LAUNCH_FAILED, of.name, "the driver refused the launch: %s",
                             describe(error));
  return host::ok_status();
}

// What a kernel's arguments may have at most; the reader refuses more.
constexpr int most_bytes = 4096;

static tk_status launch_again(known_launch &known, void *stream) {
  if (known.of->is_dynamic) { // each launch has the counter of its stream
    alignas(CUtensorMap) char bytes[most_bytes];
    memcpy(bytes, known.bytes, size_t(known.of->argument_bytes));
    return launch_packed(known, stream, bytes);
  }
  ++known.readers; // another thread may launch meanwhile
  const tk_status status = launch_packed(known, stream, known.bytes);
  --known.readers;
  return status;
}

static tk_status launch_kernel(kernel &of, function &in, const call &with) {
  const current_context current(of.name, with.device);
  if (current.result.code != TK_OK)
    return current.result;
  int64_t values[most_parameters + 2], tiles = 0;
  collect_values(of, in, with, values);
  alignas(CUtensorMap) char bytes[most_bytes];
  tk_status status = put_arguments(of, with, values, bytes);
  if (status.code != TK_OK)
    return status;
  if (!count_tiles(of, values, tiles))
    return no_tile_count(of);
  if (tiles <= 0)
    return status;
  if (tiles > host::most_tiles)
    return host::too_many_tiles(of.name);
  loaded_kernel loaded;
  status = load(of, current.facts, loaded);
  if (status.code != TK_OK)
    return status;
  known_launch packed = {};
  packed.context = current.facts.number;
  packed.device = with.device;
  packed.of = &of;
  packed.function = loaded.function;
  packed.counters = loaded.counters;
  packed.blocks = unsigned(host::grid_blocks(tiles, of.is_persistent, current.facts.num_sms,
                                             of.blocks_per_sm, of.cluster));
  packed.shared_bytes = unsigned(host::launch_shared_bytes(
      of.shared_bytes, packed.blocks, of.is_persistent, current.facts.num_sms, of.blocks_per_sm,
      of.cluster, current.facts.max_shared_bytes));
  remember(in, with, packed, bytes);
  return launch_packed(packed, with.stream, bytes);
}

tk_status launch::prepare(kernel &of, int device) {
  const current_context current(of.name, device);
  loaded_kernel found;
  return current.result.code == TK_OK ? load(of, current.facts, found) : current.result;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

// As host::row_factor of all that a tile loads.
static double row_factor(const kernel &of, const call &with) {
  double sum = 0, bytes = 0;
  for (int i = 0; i < of.parameter_count; ++i) {
    const parameter &each = of.parameters[i];
    if (each.kind != parameter_kind::tensor_map || !each.loaded_bytes)
      continue;
    sum += double(each.loaded_bytes) * host::row_factor(of.model, with.tensors[each.argument]);
    bytes += double(each.loaded_bytes);
  }
  return bytes > 0 ? sum / bytes : 1;
}

static bool predict(const kernel &of, const function &in, const call &with, int num_sms,
                    double &cycles) {
  int64_t values[most_parameters + 2] = {};
  collect_values(of, in, with, values);
  host::tile_work work{of.model};
  work.dynamic = of.is_dynamic;
  if (!count_tiles(of, values, work.tiles))
    return false;
  for (int upper = 0; upper < (of.has_middle ? 2 : 1); ++upper) {
    values[upper_value] = upper;
    double computes = 0, loads = 0;
    if (!evaluate(of.computes, values, computes) || !evaluate(of.loads, values, loads))
      return false;
    work.computes += of.has_middle ? 0.5 * computes : computes;
    work.loads += of.has_middle ? 0.5 * loads : loads;
  }
  work.loads *= row_factor(of, with);
  cycles = host::predicted_cycles(work, num_sms);
  return true;
}

// Whether the extents were measured; the number of the kernel that was the fastest for them.
static bool find_measured(const function &of, const call &with, int &number) {
  for (int i = 0; i < of.row_count; ++i) {
    bool same = true;
    for (int k = 0; k < of.place_count && same; ++k)
      same = with.tensors[of.places[k].argument].extents[of.places[k].dim] == of.rows[i].extents[k];
    if (same) {
      number = of.rows[i].kernel;
      return true;
    }
  }
  return false;
}

static tk_status choose(const function &of, const call &with, int &number) {
  const current_context current(of.name, with.device);
  if (current.result.code != TK_OK)
    return current.result;
  if (of.measured_sms == current.facts.num_sms && find_measured(of, with, number))
    return host::ok_status();
  double least = 0;
  for (int i = 0; i < of.kernel_count; ++i) {
    double cycles = 0;
    if (!predict(of.kernels[i], of, with, current.facts.num_sms, cycles))
      return no_tile_count(of.kernels[i]);
    if (i == 0 || cycles < least) {
      least = cycles;
      number = i;
    }
  }
  return host::ok_status();
}

tk_status launch::run(function &of, call &with) {
  if (known_launch *known = with.device < 0 ? nullptr : find_known(of, with))
    return launch_again(*known, with.stream);
  bool done = false;
  tk_status status = check(of.name, of, of.requirements, of.requirement_count, with, done);
  if (done)
    return status;
  if (with.device < 0) {
    tk_tensor tensors[most_arguments];
    scalar scalars[most_arguments];
    int tensor_count = 0, scalar_count = 0;
    for (int i = 0; i < of.argument_count; ++i)
      if (of.arguments[i].is_tensor)
        tensors[tensor_count++] = with.tensors[i];
      else
        scalars[scalar_count++] = with.scalars[i];
    void *state = interpreter.leave ? interpreter.leave() : nullptr;
    status = of.on_cpu(tensors, scalars);
    if (interpreter.enter)
      interpreter.enter(state);
    return status;
  }
  int number = 0;
  if (of.is_choice) {
    status = choose(of, with, number);
    if (status.code == TK_OK) {
      const kernel &chosen = of.kernels[number];
      status = check(chosen.name, of, chosen.requirements, chosen.requirement_count, with, done);
      if (done)
        return status;
    }
  }
  return status.code == TK_OK ? launch_kernel(of.kernels[number], of, with) : status;
}
