//===- host/arguments.h - Checks of a kernel's arguments, in plain C++ ----===//
//
// A kernel's C function lists its requirements, one per line:
//
//     host::arguments args("gemm");
//     args.tensor("A", A, TK_BF16, 2);
//     args.same_extent("A", A, 0, "C", C, 0);
//     args.written("C", C);
//     if (args.done())
//       return args.status();
//
// The first requirement that does not hold becomes the status; those after it
// are not looked at, so they may rely on it. An output without elements is not
// an error: there is nothing to do, and done() says so with TK_OK.
//
// TMA's requirements hold for every tensor that it copies: a contiguous last
// dimension, and a base and strides that are multiples of 16 bytes. The stride of
// a dimension of extent 1 is never used, so it may be anything. A tensor that
// only threads read and write (`elements`) may lie as it likes.
//
// No CUDA here: the emulator and the plain C++ reference check with this too.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_ARGUMENTS_H
#define TK_HOST_ARGUMENTS_H

#include <host/note_tensor.h>
#include <host/status.h>

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

inline const char *dtype_name(int32_t dtype) {
  switch (dtype) {
  case TK_BF16:
    return "bf16";
  case TK_F16:
    return "f16";
  case TK_F32:
    return "f32";
  case TK_E4M3:
    return "e4m3";
  case TK_E5M2:
    return "e5m2";
  case TK_I8:
    return "i8";
  case TK_I32:
    return "i32";
  }
  return "unknown";
}

inline int64_t dtype_bytes(int32_t dtype) {
  return dtype == TK_F32 || dtype == TK_I32 ? 4 : dtype == TK_BF16 || dtype == TK_F16 ? 2 : 1;
}

inline bool is_empty(const tk_tensor &tensor) {
  for (int32_t i = 0; i < tensor.rank; ++i)
    if (tensor.extents[i] == 0)
      return true;
  return false;
}

// Kernels number rows with 32 bits, and the last tile may reach past the last row.
constexpr int64_t largest_extent = INT32_MAX - 65535;

// The bits of an address: no tensor reaches further.
constexpr int address_bits = 57;

class arguments {
public:
  explicit arguments(const char *kernel) : kernel(kernel), result(ok_status()) { note_launch(); }

  // A tensor of this type and rank that TMA can reach.
  void tensor(const char *name, const tk_tensor *t, tk_dtype dtype, int32_t rank) {
    if (!failed())
      described(name, t, dtype, rank);
    if (!failed() && !is_empty(*t)) {
      note_tensor(name, *t, dtype_bytes(t->dtype));
      reachable(name, *t);
    }
  }

  // A tensor of this type and rank whose elements threads read and write one by one.
  void elements(const char *name, const tk_tensor *t, tk_dtype dtype, int32_t rank) {
    if (!failed())
      described(name, t, dtype, rank);
    if (!failed() && !is_empty(*t)) {
      note_tensor(name, *t, dtype_bytes(t->dtype));
      addressable(name, *t);
    }
  }

  // A dimension whose extent the kernel is compiled for.
  void extent(const char *name, const tk_tensor *t, int i, int64_t wanted) {
    if (failed() || t->extents[i] == wanted)
      return;
    refuse("dimension %d of %s is %lld when the kernel is compiled for %lld", i, name, (long long)t->extents[i],
           (long long)wanted);
  }

  // Two dimensions that one loop walks.
  void same_extent(const char *name_a, const tk_tensor *a, int i, const char *name_b, const tk_tensor *b, int j) {
    if (failed() || a->extents[i] == b->extents[j])
      return;
    refuse("dimension %d of %s is %lld when it should equal dimension %d of %s, which is %lld", i, name_a,
           (long long)a->extents[i], j, name_b, (long long)b->extents[j]);
  }

  // A tensor whose memory is in fragment order (tile/fragments.h): whole blocks of 16 in dimension i, and rows that
  // follow one another.
  void fragments(const char *name, const tk_tensor *t, int i) {
    if (failed() || is_empty(*t))
      return;
    if (t->extents[i] % 16 != 0)
      refuse("dimension %d of %s is %lld when it should be a multiple of 16, for the tensor is in fragment order; make "
             "it %lld",
             i, name, (long long)t->extents[i], (long long)((t->extents[i] + 15) / 16 * 16));
    else if (i + 1 < t->rank && t->extents[i] > 1 && t->strides[i] != t->extents[i + 1])
      refuse("tensor %s has stride %lld in dimension %d when it should be %lld, for it is in fragment order; make it "
             "contiguous",
             name, (long long)t->strides[i], i, (long long)t->extents[i + 1]);
  }

  // A dimension of a tensor in fragment order that a loop walks which walks another tensor's.
  void rounded_extent(const char *name_a, const tk_tensor *a, int i, const char *name_b, const tk_tensor *b, int j) {
    const int64_t wanted = failed() ? 0 : (b->extents[j] + 15) / 16 * 16;
    if (failed() || a->extents[i] == wanted)
      return;
    refuse("dimension %d of %s is %lld when it should be %lld, dimension %d of %s rounded up to a multiple of 16", i,
           name_a, (long long)a->extents[i], (long long)wanted, j, name_b);
  }

  // A tensor the kernel writes: its elements must be distinct.
  void written(const char *name, const tk_tensor *t) {
    if (failed())
      return;
    if (empty_input && !strcmp(empty_input, name))
      empty_input = nullptr;
    if (is_empty(*t))
      return;
    any_output = true;
    disjoint(name, *t);
  }

  // True if the kernel has nothing to launch: a requirement failed, or no output has an element.
  bool done() {
    if (failed())
      return true;
    if (any_output && empty_input)
      refuse("tensor %s has no elements but the output has; pass one with at least one element in each dimension",
             empty_input);
    return failed() || !any_output;
  }

  tk_status status() const { return result; }

private:
  const char *kernel;
  tk_status result;
  const char *empty_input = nullptr; // the first tensor without elements that is not written
  bool any_output = false;           // some written tensor has elements

  bool failed() const { return result.code != TK_OK; }

  void note_empty_input(const char *name) {
    if (!empty_input)
      empty_input = name;
  }

#if defined(__GNUC__)
  __attribute__((format(printf, 2, 3)))
#endif
  void
  refuse(const char *format, ...) {
    va_list values;
    va_start(values, format);
    result = make_status_v(TK_INVALID_ARGUMENT, kernel, format, values);
    va_end(values);
  }

  // The kernel is compiled for it.
  void described(const char *name, const tk_tensor *t, tk_dtype dtype, int32_t rank) {
    if (!t)
      return refuse("tensor %s is a null pointer; pass a tk_tensor", name);
    if (t->rank != rank)
      return refuse("tensor %s has rank %d when it should have rank %d", name, int(t->rank), int(rank));
    if (t->dtype != dtype)
      return refuse("tensor %s has type %s (%d) when it should be %s; convert it first", name, dtype_name(t->dtype),
                    int(t->dtype), dtype_name(dtype));
    for (int i = 0; i < rank; ++i)
      if (t->extents[i] < 0 || t->extents[i] > largest_extent)
        return refuse("tensor %s has extent %lld in dimension %d when it should be from 0 to %lld", name,
                      (long long)t->extents[i], i, (long long)largest_extent);
    if (is_empty(*t)) // no byte of it is ever touched, so where it lies does not matter
      note_empty_input(name);
  }

  // Its memory is where and how threads can address it.
  void addressable(const char *name, const tk_tensor &t) {
    const int64_t size = dtype_bytes(t.dtype);
    if (!t.data)
      return refuse("tensor %s has elements but its data is a null pointer", name);
    if (reinterpret_cast<uintptr_t>(t.data) % uintptr_t(size) != 0)
      return refuse("tensor %s starts at address %p, which is not a multiple of its elements' %d bytes", name, t.data,
                    int(size));
    for (int i = 0; i < t.rank; ++i)
      if (t.extents[i] > 1 && (t.strides[i] < 0 || t.strides[i] > (INT64_C(1) << 40) / size - 1))
        return refuse("tensor %s has stride %lld in dimension %d when it should be from 0 to %lld elements", name,
                      (long long)t.strides[i], i, (long long)((INT64_C(1) << 40) / size - 1));
    bounded(name, t);
  }

  // Its memory is where and how TMA can address it.
  void reachable(const char *name, const tk_tensor &t) {
    const int64_t size = dtype_bytes(t.dtype);
    const int last = t.rank - 1;
    if (!t.data)
      return refuse("tensor %s has elements but its data is a null pointer", name);
    if (reinterpret_cast<uintptr_t>(t.data) % 16 != 0)
      return refuse("tensor %s starts at address %p, which is %d bytes off a multiple of 16; copy it to aligned memory",
                    name, t.data, int(reinterpret_cast<uintptr_t>(t.data) % 16));
    if (t.extents[last] > 1 && t.strides[last] != 1)
      return refuse("tensor %s has stride %lld in its last dimension when it should be 1; make its rows contiguous",
                    name, (long long)t.strides[last]);
    for (int i = 0; i < last; ++i) {
      const int64_t stride = t.strides[i];
      if (t.extents[i] == 1)
        continue;
      if (stride < 0 || stride > (INT64_C(1) << 40) / size - 1)
        return refuse("tensor %s has stride %lld in dimension %d when it should be from 0 to %lld elements", name,
                      (long long)stride, i, (long long)((INT64_C(1) << 40) / size - 1));
      if (stride * size % 16 != 0)
        return refuse("tensor %s has stride %lld in dimension %d, which is %lld bytes when it should be a multiple of "
                      "16; pad its rows to %lld elements",
                      name, (long long)stride, i, (long long)(stride * size),
                      (long long)((stride * size + 15) / 16 * 16 / size));
    }
    bounded(name, t);
  }

  // Its last element has an address, so no offset within it wraps. Its strides are from 0 to 2^40 bytes.
  void bounded(const char *name, const tk_tensor &t) {
    const int64_t most = (INT64_C(1) << address_bits) / dtype_bytes(t.dtype);
    int64_t reach = 0;
    for (int i = 0; i < t.rank; ++i) {
      const int64_t steps = t.extents[i] - 1, stride = t.strides[i];
      if (steps == 0 || stride == 0)
        continue;
      if (steps > (most - reach) / stride)
        return refuse("tensor %s reaches further than 2^%d bytes, with %lld elements %lld apart in dimension %d; no "
                      "memory is that large",
                      name, address_bits, (long long)t.extents[i], (long long)stride, i);
      reach += steps * stride;
    }
  }

  // No two of its elements are one place. The check is a little stricter: each dimension steps over all that the
  // dimensions with smaller strides span. Views of a tensor without overlap do so, whatever the order of their
  // dimensions; whether any other set of strides is free of overlap is a hard question.
  void disjoint(const char *name, const tk_tensor &t) {
    int order[TK_MAX_RANK] = {}, count = 0; // dimensions of more than one element, by stride
    for (int i = t.rank - 1; i >= 0; --i) {
      if (t.extents[i] == 1)
        continue;
      int at = count++;
      for (; at > 0 && t.strides[order[at - 1]] > t.strides[i]; --at)
        order[at] = order[at - 1];
      order[at] = i;
    }
    int64_t span = 1; // within 2^57: it is bounded
    for (int k = 0; k < count; ++k) {
      const int i = order[k];
      if (t.strides[i] < span)
        return refuse("tensor %s is written, but its stride %lld in dimension %d is less than the %lld elements that "
                      "its dimensions of smaller strides span, so elements overlap; give each a place of its own",
                      name, (long long)t.strides[i], i, (long long)span);
      span += (t.extents[i] - 1) * t.strides[i];
    }
  }
};

} // namespace host
} // namespace tk

#endif // TK_HOST_ARGUMENTS_H
