//===- ElementValues.cpp - Numbers to the bits of tensors and back --------===//
#include "run/ElementValues.h"

#include <cstring>
#include <language/numbers.h>

using namespace tkc;

// Calls `work` with a value of the C++ type of the elements.
template <typename Work> static auto withType(tk_dtype type, Work work) {
  switch (type) {
  case TK_BF16:
    return work(::tk::bf16());
  case TK_F16:
    return work(::tk::half());
  case TK_E4M3:
    return work(::tk::e4m3());
  case TK_E5M2:
    return work(::tk::e5m2());
  case TK_I8:
    return work(::tk::int8());
  case TK_I32:
    return work(::tk::int32());
  case TK_F32:
    break;
  }
  return work(float());
}

unsigned run::bytesOf(tk_dtype type) {
  return withType(type, [](auto element) { return unsigned(sizeof(element)); });
}

bool run::isInteger(tk_dtype type) { return type == TK_I8 || type == TK_I32; }

void run::encode(tk_dtype type, double value, void *element) {
  withType(type, [&](auto none) {
    const auto encoded = ::tk::detail::convert<decltype(none)>(float(value));
    memcpy(element, &encoded, sizeof(encoded));
  });
}

double run::decode(tk_dtype type, const void *element) {
  return withType(type, [&](auto value) {
    memcpy(&value, element, sizeof(value));
    if constexpr (__is_same(decltype(value), int))
      return double(value);
    else
      return double(float(value));
  });
}

double run::spacingAtOne(tk_dtype type) {
  switch (type) {
  case TK_BF16:
    return 0x1p-7;
  case TK_F16:
    return 0x1p-10;
  case TK_F32:
    return 0x1p-23;
  case TK_E4M3:
    return 0x1p-3;
  case TK_E5M2:
    return 0x1p-2;
  case TK_I8:
  case TK_I32:
    break;
  }
  return 0;
}

uint8_t run::poisonByte(tk_dtype type, size_t offset) {
  switch (type) {
  case TK_E4M3:
    return 0x7f;
  case TK_E5M2:
    return 0x7d;
  case TK_I8:
  case TK_I32:
    return 0x85;
  default: // 0x7fe5 is a NaN of bf16 and f16, 0x7fe57fe5 one of f32
    return offset % 2 ? 0x7f : 0xe5;
  }
}
