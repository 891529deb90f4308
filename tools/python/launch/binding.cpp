//===- binding.cpp - Which argument is which ------------------------------===//
//
// By place: all arguments in order, or those that must be given. By name: any; out=
// has the tensors that the call returns.
//
//===----------------------------------------------------------------------===//
#include "binding.h"

#include <math.h>
#include <string.h>

using namespace launch;

static PyObject *out_name, *stream_name;

void launch::intern_keywords() {
  out_name = PyUnicode_InternFromString("out");
  stream_name = PyUnicode_InternFromString("stream");
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

static bool bind_outputs(const function_object &self, PyObject *given, binding &to) {
  const int count = self.optional_count;
  const bool is_tuple = PyTuple_Check(given) || PyList_Check(given);
  if (count == 0 || (count > 1 && !is_tuple) || (is_tuple && PySequence_Size(given) != count)) {
    PyErr_Format(PyExc_TypeError, "%s: out= takes the %d tensors that it returns; see print(%s)",
                 self.plan.name, count, self.plan.name);
    return false;
  }
  for (int i = 0, next = 0; i < self.plan.argument_count; ++i) {
    if (!self.inferred[i].is_optional)
      continue;
    if (to.objects[i]) {
      PyErr_Format(PyExc_TypeError, "%s: %s is given twice, by out= as well", self.plan.name,
                   self.plan.arguments[i].name);
      return false;
    }
    PyObject *item = given;
    if (is_tuple) {
      item = PySequence_GetItem(given, next++);
      if (!item)
        return false;
      Py_DECREF(item); // `given` holds it
    }
    to.objects[i] = item;
  }
  return true;
}

static bool bind_keyword(const function_object &self, PyObject *key, PyObject *value, binding &to,
                         PyObject *&outputs) {
  // Names in a call are mostly the very objects that the module has.
  PyObject *const *names = self.names, *const *end = names + self.plan.argument_count;
  PyObject *const *found = names;
  while (found != end && *found != key)
    ++found;
  if (found == end && key != out_name && key != stream_name)
    for (found = names; found != end && PyUnicode_Compare(*found, key) != 0;)
      ++found;
  if (found != end)
    to.objects[found - names] = value;
  else if (key == out_name || PyUnicode_Compare(out_name, key) == 0)
    outputs = value;
  else if (PyUnicode_Compare(stream_name, key) == 0)
    to.stream = value;
  else {
    PyErr_Format(PyExc_TypeError, "%s: there is no argument '%U'; print(%s) shows which there are",
                 self.plan.name, key, self.plan.name);
    return false;
  }
  return true;
}

// Positional arguments are all arguments in order, or those that must be given.
static bool bind_positional(const function_object &self, const given_values &given, binding &to) {
  int required = self.required_count, open = self.plan.argument_count;
  for (int i = 0; given.named_count && i < self.plan.argument_count; ++i)
    if (to.objects[i]) {
      --open;
      required -= !self.inferred[i].is_optional;
    }
  const bool is_all = given.count > required;
  if (given.count > open) {
    PyErr_Format(PyExc_TypeError,
                 "%s: %d arguments are given when there are %d; print(%s) shows which",
                 self.plan.name, given.count, open, self.plan.name);
    return false;
  }
  int next = 0;
  for (int i = 0; i < self.plan.argument_count && next < given.count; ++i) {
    if (to.objects[i]) {
      if (is_all) { // f(a, b, A=a): the place of A is taken
        PyErr_Format(PyExc_TypeError, "%s: %s is given by name and by place", self.plan.name,
                     self.plan.arguments[i].name);
        return false;
      }
      continue;
    }
    if (is_all || !self.inferred[i].is_optional)
      to.objects[i] = given.values[next++];
  }
  return true;
}

bool launch::bind(const function_object &self, const given_values &given, binding &to) {
  PyObject *outputs = nullptr;
  for (int i = 0; i < given.named_count; ++i)
    if (!bind_keyword(self, given.names[i], given.named[i], to, outputs))
      return false;
  // f(a, b, scale=1): what is named after those that stand in their places does not disturb them.
  if (!bind_positional(self, given, to) || (outputs && !bind_outputs(self, outputs, to)))
    return false;
  for (int i = 0; i < self.plan.argument_count; ++i)
    if (!to.objects[i] && !self.inferred[i].is_optional) {
      PyErr_Format(PyExc_TypeError,
                   "%s: the argument %s is missing; print(%s) shows which there are",
                   self.plan.name, self.plan.arguments[i].name, self.plan.name);
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static bool read_float(const function_object &self, const argument &of, PyObject *object,
                       float &result) {
  const double value = PyUnicode_Check(object) ? -1.0 : PyFloat_AsDouble(object);
  if (value == -1.0 && (PyUnicode_Check(object) || PyErr_Occurred())) {
    const bool is_huge = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError);
    PyErr_Clear();
    PyErr_Format(is_huge ? PyExc_OverflowError : PyExc_TypeError,
                 is_huge ? "%s: %s is too large for a float" : "%s: %s should be a number",
                 self.plan.name, of.name);
    return false;
  }
  result = float(value);
  if (isinf(result) && !isinf(value)) {
    PyErr_Format(PyExc_OverflowError, "%s: %s is too large for a float of 32 bits", self.plan.name,
                 of.name);
    return false;
  }
  return true;
}

static bool read_integer(const function_object &self, const argument &of, PyObject *object,
                         int32_t &result) {
  PyObject *index =
      PyFloat_Check(object) || PyBool_Check(object) ? nullptr : PyNumber_Index(object);
  if (!index) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: %s should be an int; a float is not rounded for you",
                 self.plan.name, of.name);
    return false;
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  if (overflow || value != int32_t(value)) {
    PyErr_Format(PyExc_OverflowError, "%s: %s is outside of what 32 bits hold", self.plan.name,
                 of.name);
    return false;
  }
  result = int32_t(value);
  return true;
}

bool launch::read_scalar(const function_object &self, const argument &of, PyObject *object,
                         scalar &result) {
  memset(&result, 0, sizeof(result));
  if (object == Py_None) {
    PyErr_Format(PyExc_TypeError, "%s: %s is None; pass a number", self.plan.name, of.name);
    return false;
  }
  if (of.dtype == TK_F32)
    return read_float(self, of, object, result.f32);
  if (of.dtype == TK_I32)
    return read_integer(self, of, object, result.i32);
  if (!PyBool_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s: %s should be True or False", self.plan.name, of.name);
    return false;
  }
  result.boolean = object == Py_True;
  return true;
}
