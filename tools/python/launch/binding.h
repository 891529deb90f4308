//===- binding.h - Which argument is which --------------------------------===//
#ifndef TKC_LAUNCH_BINDING_H
#define TKC_LAUNCH_BINDING_H

#include "reader.h"

namespace launch {

// How an output of these extents was made last: calls that follow one another mostly make the same.
struct known_allocation {
  PyObject *type; // of the tensor that it is made like
  int device;
  int64_t extents[TK_MAX_RANK];
  PyObject *function, *arguments, *keywords;
};

struct function_object {
  PyObject_HEAD function plan;
  inferred_tensor *inferred;
  PyObject *names[most_arguments]; // of the arguments
  known_allocation allocations[most_arguments];
};

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

// Outputs that a call may leave out, in order, are what it returns.
int count_optional(const function_object &self);

// What is given by place and by name. False with an exception set.
bool bind(const function_object &self, PyObject *arguments, PyObject *keywords, binding &to);

// A number or a bool. False with an exception set.
bool read_scalar(const function_object &self, const argument &of, PyObject *object, scalar &result);

} // namespace launch

#endif // TKC_LAUNCH_BINDING_H
