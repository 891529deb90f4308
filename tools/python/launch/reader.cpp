//===- reader.cpp - A launch plan from Python's tuples --------------------===//
//
// The tuples are made by tkc/plan.py alone, but a bundle that was saved may come
// from anywhere: whatever is used as an index is checked.
//
//===----------------------------------------------------------------------===//
#include "reader.h"

#include <tile/parameters.h>

#include <initializer_list>
#include <stdlib.h>
#include <string.h>

using namespace launch;

static bool malformed() {
  if (!PyErr_Occurred())
    PyErr_SetString(PyExc_ValueError, "the launch plan is malformed; compile the source again");
  return false;
}

static char *copy_text(PyObject *text) {
  Py_ssize_t length = 0;
  const char *chars = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &length) : nullptr;
  char *copy = chars ? static_cast<char *>(malloc(size_t(length) + 1)) : nullptr;
  if (copy)
    memcpy(copy, chars, size_t(length) + 1);
  return copy;
}

// Calls `read` for each item; the items' number and room for as many. Each item is cleared.
template <typename item, typename function>
static bool read_list(PyObject *tuple, int32_t &count, item *&items, function read) {
  const Py_ssize_t size = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
  if (size < 0 || size > 4096)
    return malformed();
  items = static_cast<item *>(calloc(size_t(size ? size : 1), sizeof(item)));
  if (!items)
    return malformed();
  count = int32_t(size);
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *each = PyTuple_GetItem(tuple, i);
    if (!each || !PyTuple_Check(each) || !read(each, items[i]))
      return malformed();
  }
  return true;
}

static bool in_range(int value, int end) { return value >= 0 && value < end; }

static bool read_expression(PyObject *tuple, int values, expression &result) {
  return read_list(tuple, result.length, result.items, [&](PyObject *item, postfix_item &to) {
    int what = 0;
    if (!PyArg_ParseTuple(item, "iid", &what, &to.index, &to.number) ||
        !in_range(what, int(op::count)))
      return false;
    to.what = op(what);
    return to.what != op::value || in_range(to.index, values) || to.index == upper_value ||
           to.index == unknown_trips_value;
  });
}

static bool read_requirements(PyObject *tuple, const function &of, int32_t &count,
                              requirement *&items) {
  return read_list(tuple, count, items, [&](PyObject *item, requirement &to) {
    int kind = 0;
    long long extent = 0;
    if (!PyArg_ParseTuple(item, "iiiiiL", &kind, &to.a, &to.b, &to.dim_a, &to.dim_b, &extent))
      return false;
    to.kind = requirement_kind(kind);
    to.extent = extent;
    return in_range(kind, 7) && in_range(to.a, of.argument_count) &&
           in_range(to.b, of.argument_count) && of.arguments[to.a].is_tensor &&
           in_range(to.dim_a, TK_MAX_RANK) && in_range(to.dim_b, TK_MAX_RANK) &&
           ((to.kind != requirement_kind::same_extent &&
             to.kind != requirement_kind::rounded_extent) ||
            of.arguments[to.b].is_tensor);
  });
}

template <typename type> static void lay_out(int32_t &size, int32_t &alignment) {
  size = int32_t(sizeof(type));
  alignment = int32_t(alignof(type));
}

// Where a parameter lies is the rule of C: at the next multiple of its alignment.
static void lay_out(const function &of, const parameter &each, int32_t &size, int32_t &alignment) {
  const argument &of_function = of.arguments[each.argument];
  switch (each.kind) {
  case parameter_kind::tensor_map:
    return each.is_output ? lay_out<tk::output_map>(size, alignment)
                          : lay_out<CUtensorMap>(size, alignment);
  case parameter_kind::view:
    return of_function.rank == 1   ? lay_out<tk::gl<char, 1>>(size, alignment)
           : of_function.rank == 2 ? lay_out<tk::gl<char, 2>>(size, alignment)
           : of_function.rank == 3 ? lay_out<tk::gl<char, 3>>(size, alignment)
                                   : lay_out<tk::gl<char, 4>>(size, alignment);
  case parameter_kind::tile_counter:
    return lay_out<tk::tile_counter>(size, alignment);
  case parameter_kind::extent:
    return lay_out<int32_t>(size, alignment);
  case parameter_kind::scalar:
    return of_function.dtype == argument::boolean ? lay_out<bool>(size, alignment)
                                                  : lay_out<int32_t>(size, alignment);
  }
}

static bool read_parameters(PyObject *tuple, const function &of, kernel &to) {
  int32_t end = 0;
  const bool ok =
      read_list(tuple, to.parameter_count, to.parameters, [&](PyObject *item, parameter &each) {
        int kind = 0, is_output = 0, is_for_parts = 0;
        long long loaded_bytes = 0;
        if (!PyArg_ParseTuple(item, "iii(iiii)iLpp", &kind, &each.argument, &each.dim, &each.box[0],
                              &each.box[1], &each.box[2], &each.box[3], &each.swizzle,
                              &loaded_bytes, &is_output, &is_for_parts) ||
            !in_range(kind, 5) || loaded_bytes < 0 || !in_range(each.argument, of.argument_count) ||
            !in_range(each.dim, TK_MAX_RANK))
          return false;
        each.kind = parameter_kind(kind);
        each.loaded_bytes = loaded_bytes;
        each.is_output = is_output;
        each.is_for_parts = is_for_parts;
        const argument &behind = of.arguments[each.argument];
        if (each.kind != parameter_kind::tile_counter &&
            behind.is_tensor == (each.kind == parameter_kind::scalar))
          return false;
        // Maps of parts have two dimensions more than the tensor, and five are the most.
        if (each.is_for_parts && (behind.rank < 2 || behind.rank > 3))
          return false;
        to.is_dynamic |= each.kind == parameter_kind::tile_counter;
        int32_t size = 0, alignment = 1;
        lay_out(of, each, size, alignment);
        each.offset = (end + alignment - 1) / alignment * alignment;
        end = each.offset + size;
        return end <= 4092; // a scalar is written as 4 bytes
      });
  to.argument_bytes = end;
  return ok && to.parameter_count <= most_parameters;
}

static bool read_kernel(PyObject *tuple, const function &of, kernel &to) {
  PyObject *name, *symbol, *requirements, *parameters, *tiles, *computes, *loads;
  int has_middle = 0, is_persistent = 0, overlaps = 0;
  if (!PyArg_ParseTuple(tuple, "OOOOOOOp(dddd)iiiipp", &name, &symbol, &requirements, &parameters,
                        &tiles, &computes, &loads, &has_middle, &to.model.fill_and_drain,
                        &to.model.power_of_loads, &to.model.rows_within_line,
                        &to.model.rows_within_sector, &to.threads, &to.shared_bytes, &to.cluster,
                        &to.blocks_per_sm, &is_persistent, &overlaps))
    return false;
  to.has_middle = has_middle;
  to.is_persistent = is_persistent;
  to.overlaps = overlaps;
  to.name = copy_text(name);
  to.symbol = copy_text(symbol);
  if (!to.name || !to.symbol || !in_range(to.threads - 1, 1024) || !in_range(to.cluster - 1, 16) ||
      !in_range(to.blocks_per_sm - 1, 16) || !in_range(to.shared_bytes, 1 << 20) ||
      !read_parameters(parameters, of, to) ||
      !read_requirements(requirements, of, to.requirement_count, to.requirements))
    return false;
  const bool has_tiles =
      read_list(tiles, to.tile_count, to.tiles, [&](PyObject *item, expression &each) {
        return read_expression(item, to.parameter_count, each);
      });
  return has_tiles && to.tile_count <= 8 &&
         read_expression(computes, to.parameter_count, to.computes) &&
         read_expression(loads, to.parameter_count, to.loads);
}

static bool read_inferred(PyObject *tuple, const argument &of, inferred_tensor &to) {
  if (!PyTuple_Check(tuple) || (of.is_tensor && PyTuple_Size(tuple) != of.rank))
    return false;
  for (int i = 0; of.is_tensor && i < of.rank; ++i) {
    inferred_extent &extent = to.extents[i];
    PyObject *sources;
    long long constant = 0;
    if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "LO!", &constant, &PyTuple_Type, &sources))
      return false;
    extent.constant = constant;
    const Py_ssize_t count = PyTuple_Size(sources);
    extent.count = int32_t(count < 16 ? count : 16);
    for (int32_t k = 0; k < extent.count; ++k) {
      extent.sources[k] = int32_t(PyLong_AsLong(PyTuple_GetItem(sources, k)));
      if (!in_range(extent.sources[k], most_arguments * TK_MAX_RANK))
        return false;
    }
  }
  return true;
}

// (SMs, ((argument, dimension), ...), ((extent, ..., kernel), ...)), or () where nothing was
// measured.
static bool read_measured(PyObject *tuple, function &to) {
  if (PyTuple_Check(tuple) && PyTuple_Size(tuple) == 0)
    return true;
  PyObject *places, *rows;
  if (!PyTuple_Check(tuple) || !PyArg_ParseTuple(tuple, "iOO", &to.measured_sms, &places, &rows))
    return malformed();
  auto read_place = [&](PyObject *item, measured_place &place) {
    return PyArg_ParseTuple(item, "ii", &place.argument, &place.dim) &&
           in_range(place.argument, to.argument_count) && to.arguments[place.argument].is_tensor &&
           in_range(place.dim, to.arguments[place.argument].rank);
  };
  auto read_row = [&](PyObject *item, measured_row &row) {
    if (PyTuple_Size(item) != to.place_count + 1)
      return false;
    for (int i = 0; i < to.place_count; ++i)
      row.extents[i] = PyLong_AsLongLong(PyTuple_GetItem(item, i));
    row.kernel = int32_t(PyLong_AsLong(PyTuple_GetItem(item, to.place_count)));
    return !PyErr_Occurred() && in_range(row.kernel, to.kernel_count);
  };
  return read_list(places, to.place_count, to.places, read_place) &&
         to.place_count <= most_places && read_list(rows, to.row_count, to.rows, read_row);
}

// For the launches that are remembered: their tensors, numbers, and the arguments of their kernels.
static bool make_room(function &of) {
  int most = 0;
  for (int i = 0; i < of.kernel_count; ++i)
    most = of.kernels[i].argument_bytes > most ? of.kernels[i].argument_bytes : most;
  const size_t tensors = size_t(of.argument_count) * sizeof(tk_tensor),
               bytes = (size_t(most) + 63) / 64 * 64,
               scalars = size_t(of.argument_count + 1) / 2 * 2 * sizeof(scalar),
               each = tensors + bytes + scalars;
  char *place = static_cast<char *>(calloc(known_launches::places, each));
  of.known.memory = place;
  for (int i = 0; place && i < known_launches::places; ++i, place += each) {
    known_launch &to = of.known.entries[i];
    to.bytes = place;
    to.tensors = reinterpret_cast<tk_tensor *>(place + bytes);
    to.scalars = reinterpret_cast<scalar *>(place + bytes + tensors);
  }
  if (!of.known.memory)
    PyErr_NoMemory();
  return of.known.memory != nullptr;
}

bool launch::read_function(PyObject *name, PyObject *arguments, PyObject *requirements,
                           PyObject *kernels, bool is_choice, PyObject *measured, function &result,
                           inferred_tensor *&inferred) {
  result.name = copy_text(name);
  result.is_choice = is_choice;
  inferred = static_cast<inferred_tensor *>(calloc(most_arguments, sizeof(inferred_tensor)));
  if (!result.name || !inferred || !PyTuple_Check(arguments) ||
      PyTuple_Size(arguments) > most_arguments)
    return malformed();
  int index = 0;
  const bool ok = read_list(
      arguments, result.argument_count, result.arguments, [&](PyObject *item, argument &to) {
        PyObject *its_name, *extents;
        int is_tensor = 0, is_optional = 0;
        if (!PyArg_ParseTuple(item, "OpiipO", &its_name, &is_tensor, &to.dtype, &to.rank,
                              &is_optional, &extents))
          return false;
        to.name = copy_text(its_name);
        to.is_tensor = is_tensor;
        inferred[index].is_optional = is_optional;
        return to.name && in_range(to.rank, TK_MAX_RANK + 1) &&
               (!is_tensor || in_range(to.dtype, 7)) && (!is_tensor || to.rank > 0) &&
               read_inferred(extents, to, inferred[index++]);
      });
  return ok &&
         read_requirements(requirements, result, result.requirement_count, result.requirements) &&
         read_list(kernels, result.kernel_count, result.kernels,
                   [&](PyObject *item, kernel &to) { return read_kernel(item, result, to); }) &&
         (result.kernel_count > 0 || malformed()) && read_measured(measured, result) &&
         make_room(result);
}

void launch::free_function(function &of) {
  for (int i = 0; i < of.kernel_count; ++i) {
    kernel &each = of.kernels[i];
    for (int k = 0; k < each.tile_count; ++k)
      free(each.tiles[k].items);
    for (void *part : {static_cast<void *>(each.name), static_cast<void *>(each.symbol),
                       static_cast<void *>(each.cubin), static_cast<void *>(each.requirements),
                       static_cast<void *>(each.parameters), static_cast<void *>(each.tiles),
                       static_cast<void *>(each.computes.items),
                       static_cast<void *>(each.loads.items), static_cast<void *>(each.loaded)})
      free(part);
  }
  for (int i = 0; i < of.argument_count; ++i)
    free(of.arguments[i].name);
  free(of.name);
  free(of.known.memory);
  free(of.places);
  free(of.rows);
  free(of.arguments);
  free(of.requirements);
  free(of.kernels);
  of = function();
}
