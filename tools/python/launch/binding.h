//===- binding.h - Which argument is which --------------------------------===//
#ifndef TKC_LAUNCH_BINDING_H
#define TKC_LAUNCH_BINDING_H

#include "reader.h"

namespace launch {

// How an output of these extents was made last: calls that follow one another mostly make the same.
struct known_allocation {
  PyObject *type; // of the tensor that it is made like
  int device;
  bool is_current; // the device was the current one
  int64_t extents[TK_MAX_RANK];
  PyObject *function, *arguments, *keywords;
};

// As Python's own, which the limited API has from 3.12 on.
using vector_call = PyObject *(*)(PyObject *object, PyObject *const *values, size_t count,
                                  PyObject *names);

struct function_object {
  PyObject_HEAD vector_call called;
  function plan;
  inferred_tensor *inferred;
  int optional_count, required_count; // arguments that a call may leave out, and that it must give
  PyObject *names[most_arguments];    // of the arguments
  known_allocation allocations[most_arguments];
};

// What a call was given: values by place, then values by name.
struct given_values {
  PyObject *const *values;
  int count;
  PyObject *const *names, *const *named;
  int named_count;
};
// All names that arguments have, `out` and `stream`; one more is a wrong one.
constexpr int most_names_given = most_arguments + 3;

// The arguments of one call, and what it holds on to.
struct binding {
  PyObject *objects[most_arguments]; // borrowed, but for those that are made
  PyObject *keepers[most_arguments];
  bool is_made[most_arguments];
  PyObject *stream = nullptr;
  const int count;

  explicit binding(int count) : count(count) {
    for (int i = 0; i < count; ++i) {
      objects[i] = keepers[i] = nullptr;
      is_made[i] = false;
    }
  }
  ~binding() {
    for (int i = 0; i < count; ++i) {
      Py_XDECREF(keepers[i]);
      if (is_made[i])
        Py_XDECREF(objects[i]);
    }
  }
};

inline const char *dtype_name(int dtype) { return tk::host::dtype_name(dtype); }

// Once, before anything is bound.
void intern_keywords();

// False with an exception set.
bool bind(const function_object &self, const given_values &given, binding &to);

// A number or a bool. False with an exception set.
bool read_scalar(const function_object &self, const argument &of, PyObject *object, scalar &result);

} // namespace launch

#endif // TKC_LAUNCH_BINDING_H
