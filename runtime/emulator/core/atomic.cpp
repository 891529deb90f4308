//===- core/atomic.cpp - Atomics on global and shared memory --------------===//
//
// One fiber runs at a time, so an atomic is a plain read and write here. Threads
// that spin on one are overtaken each time, or nobody else would ever come.
//
// In shared memory an atomic is a write that other atomics may overlap: the cells
// remember whether the last access was one.
//
//===----------------------------------------------------------------------===//
#include "core/memory.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"

#include <cstring>

namespace tk::emulator {
namespace {

template <typename Value, typename Bits>
uint32_t add_pairs(uint32_t a, uint32_t b, Value value, Bits bits) {
  uint32_t sum = 0;
  for (int half = 0; half < 2; ++half) {
    const float x = value(uint16_t(a >> 16 * half)), y = value(uint16_t(b >> 16 * half));
    sum |= uint32_t(bits(x + y)) << 16 * half;
  }
  return sum;
}

uint32_t added(atomic_type type, uint32_t a, uint32_t b) {
  switch (type) {
  case atomic_type::f32:
    return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  case atomic_type::f16x2:
    return add_pairs(a, b, f16_value, f16_bits);
  case atomic_type::bf16x2:
    return add_pairs(a, b, bf16_value, bf16_bits);
  case atomic_type::s32:
  case atomic_type::u32:
    return a + b;
  }
  return a;
}

uint32_t updated(atomic_operation operation, atomic_type type, uint32_t old, uint32_t value,
                 uint32_t expected) {
  const bool less = type == atomic_type::s32 ? int32_t(value) < int32_t(old) : value < old;
  switch (operation) {
  case atomic_operation::add:
    return added(type, old, value);
  case atomic_operation::min:
    return less ? value : old;
  case atomic_operation::max:
    return less ? old : value;
  case atomic_operation::exch:
    return value;
  case atomic_operation::cas:
    return old == expected ? value : old;
  }
  return old;
}

} // namespace

void reduce_global(atomic_operation operation, atomic_type type, void *address,
                   const void *registers, int words, place where) {
  TK_BEGIN("red.global");
  check_global(address, 4 * words);
  check_registers(registers, 4 * words, content::words);
  for (size_t i = 0; i < size_t(words); ++i) {
    uint32_t old, value;
    char *at = static_cast<char *>(address) + 4 * i;
    memcpy(&old, at, 4);
    memcpy(&value, static_cast<const char *>(registers) + 4 * i, 4);
    value = updated(operation, type, old, value, 0);
    memcpy(at, &value, 4);
  }
}

void reduce_global_half(atomic_type pair, void *address, uint16_t value, place where) {
  TK_BEGIN("red.global");
  check_global(address, 2);
  uint16_t old;
  memcpy(&old, address, 2);
  value = uint16_t(added(pair, old, value));
  memcpy(address, &value, 2);
}

uint16_t swap_global_half(void *address, uint16_t expected, uint16_t value, place where) {
  TK_BEGIN("atom.global");
  check_global(address, 2);
  spin();
  uint16_t old;
  memcpy(&old, address, 2);
  if (old == expected)
    memcpy(address, &value, 2);
  return old;
}

uint32_t atomic_global(atomic_operation operation, atomic_type type, void *address, uint32_t value,
                       uint32_t expected, place where) {
  TK_BEGIN("atom.global");
  check_global(address, 4);
  check_registers(&value, 4, content::words);
  spin();
  uint32_t old;
  memcpy(&old, address, 4);
  value = updated(operation, type, old, value, expected);
  memcpy(address, &value, 4);
  return old;
}

uint32_t atomic_shared(atomic_operation operation, atomic_type type, uint32_t address,
                       uint32_t value, uint32_t expected, place where) {
  TK_BEGIN("atom.shared");
  check_range(address, 4, 4);
  check_registers(&value, 4, content::words);
  spin();
  note_own_atomic(address, 4);
  unsigned char *at = current->home->bytes(address);
  uint32_t old;
  memcpy(&old, at, 4);
  value = updated(operation, type, old, value, expected);
  memcpy(at, &value, 4);
  return old;
}

} // namespace tk::emulator
