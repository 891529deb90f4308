//===- plan.cpp - A launch plan's requirements and expressions ------------===//
#include "plan.h"

#include <tile/parameters.h>

using namespace tk;
using namespace launch;

tk_status launch::check(const char *name, const function &of, const requirement *requirements,
                        int count, const call &with, bool &done) {
  host::arguments args(name);
  for (const requirement *each = requirements; each != requirements + count; ++each) {
    const argument &a = of.arguments[each->a];
    const tk_tensor *tensor = &with.tensors[each->a];
    switch (each->kind) {
    case requirement_kind::tensor:
      args.tensor(a.name, tensor, tk_dtype(a.dtype), a.rank);
      break;
    case requirement_kind::elements:
      args.elements(a.name, tensor, tk_dtype(a.dtype), a.rank);
      break;
    case requirement_kind::extent:
      args.extent(a.name, tensor, each->dim_a, each->extent);
      break;
    case requirement_kind::same_extent:
      args.same_extent(a.name, tensor, each->dim_a, of.arguments[each->b].name,
                       &with.tensors[each->b], each->dim_b);
      break;
    case requirement_kind::written:
      args.written(a.name, tensor);
      break;
    case requirement_kind::fragments:
      args.fragments(a.name, tensor, each->dim_a);
      break;
    case requirement_kind::rounded_extent:
      args.rounded_extent(a.name, tensor, each->dim_a, of.arguments[each->b].name,
                          &with.tensors[each->b], each->dim_b);
      break;
    }
  }
  done = args.done();
  return args.status();
}

// Integers are 32 bits wide and wrap.
static double wrapped(int64_t value) { return double(int32_t(uint32_t(uint64_t(value)))); }

static bool apply(op what, const double *in, double &out) {
  const int64_t a = int64_t(in[0]), b = int64_t(in[1]);
  switch (what) {
  case op::add:
    out = wrapped(a + b);
    return true;
  case op::sub:
    out = wrapped(a - b);
    return true;
  case op::mul:
    out = wrapped(a * b);
    return true;
  case op::div:
    out = b ? wrapped(a / b) : 0;
    return b != 0;
  case op::rem:
    out = b ? wrapped(a % b) : 0;
    return b != 0;
  case op::ceil_div: // tile/grid.h
    out = b ? wrapped(a / b + (a % b != 0 && (a > 0) == (b > 0))) : 0;
    return b != 0;
  case op::min:
    out = double(a < b ? a : b);
    return true;
  case op::max:
    out = double(a > b ? a : b);
    return true;
  case op::and_:
    out = double(a & b);
    return true;
  case op::or_:
    out = double(a | b);
    return true;
  case op::xor_:
    out = double(a ^ b);
    return true;
  case op::shl:
    out = wrapped(int64_t(uint64_t(a) << (b & 31)));
    return true;
  case op::shr:
    out = double(a >> (b & 31));
    return true;
  case op::select:
    out = in[0] != 0 ? in[1] : in[2];
    return true;
  case op::eq:
    out = a == b;
    return true;
  case op::ne:
    out = a != b;
    return true;
  case op::lt:
    out = a < b;
    return true;
  case op::le:
    out = a <= b;
    return true;
  case op::gt:
    out = a > b;
    return true;
  case op::ge:
    out = a >= b;
    return true;
  case op::fadd:
    out = in[0] + in[1];
    return true;
  case op::fmul:
    out = in[0] * in[1];
    return true;
  default:
    return false;
  }
}

bool launch::evaluate(const expression &of, const int64_t *values, double &result) {
  constexpr int most = 64;
  double stack[most];
  int depth = 0;
  for (const postfix_item *item = of.items; item != of.items + of.length; ++item) {
    if (item->what == op::constant || item->what == op::value) {
      if (depth == most)
        return false;
      stack[depth++] = item->what == op::value ? double(values[item->index]) : item->number;
      continue;
    }
    const int operands = item->what == op::select ? 3 : 2;
    if (depth < operands)
      return false;
    depth -= operands;
    double value = 0;
    if (!apply(item->what, stack + depth, value))
      return false;
    stack[depth++] = value;
  }
  if (depth != 1)
    return false;
  result = stack[0];
  return true;
}
