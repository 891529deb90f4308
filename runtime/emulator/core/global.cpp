//===- core/global.cpp - Ordinary accesses to global memory ---------------===//
//
// The launcher has said which tensors there are. An access must lie within the
// elements of one: the bytes between the rows of a padded tensor are no part of
// it.
//
//===----------------------------------------------------------------------===//
#include "core/immortal.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <algorithm>
#include <cstring>

namespace tk::emulator {
namespace {

struct tensor_memory {
  std::string name;
  struct dimension {
    int64_t extent, stride; // elements and bytes
  };
  const char *data;
  std::vector<dimension> outer; // largest stride first
  int64_t row_bytes;
};
auto &tensors = make_immortal<std::vector<tensor_memory>>();

// The bytes lie in one row.
bool holds(const tensor_memory &t, const char *address, uint32_t bytes) {
  int64_t offset = address - t.data;
  if (offset < 0)
    return false;
  for (const auto &d : t.outer) {
    const int64_t index = std::min(offset / d.stride, d.extent - 1);
    offset -= index * d.stride;
  }
  return offset + int64_t(bytes) <= t.row_bytes;
}

// Where an access is that no tensor holds: "12 bytes after the start of C".
std::string near(const char *address) {
  const tensor_memory *best = nullptr;
  for (const tensor_memory &t : tensors)
    if (!best || std::abs(address - t.data) < std::abs(address - best->data))
      best = &t;
  const int64_t offset = address - best->data;
  return formatted("{} bytes {} the start of {}", std::abs(offset), offset < 0 ? "before" : "after",
                   best->name);
}

} // namespace

void forget_global() { tensors.clear(); }

void note_global(const char *name, const tk_tensor &t, int64_t element_bytes) {
  tensor_memory memory;
  memory.name = name;
  memory.data = static_cast<const char *>(t.data);
  memory.row_bytes = element_bytes;
  for (int i = t.rank - 1; i >= 0; --i) {
    const int64_t stride = t.strides[i] * element_bytes;
    if (memory.outer.empty() && stride == memory.row_bytes)
      memory.row_bytes *= t.extents[i]; // elements or rows follow one another
    else if (t.extents[i] > 1 && stride > 0)
      memory.outer.push_back({t.extents[i], stride});
  }
  std::stable_sort(memory.outer.begin(), memory.outer.end(),
                   [](const auto &a, const auto &b) { return a.stride > b.stride; });
  tensors.push_back(std::move(memory));
}

void check_alignment(const void *address, int bytes) {
  if (uintptr_t(address) % uintptr_t(bytes) != 0)
    fault(formatted("{} of {} bytes goes to global address {}, which is not a multiple of {}",
                    current->instruction, bytes, address, bytes));
}

void check_global_range(const void *address, uint32_t bytes) {
  const auto *first = static_cast<const char *>(address);
  const auto holds_it = [&](const tensor_memory &t) { return holds(t, first, bytes); };
  if (!tensors.empty() && std::none_of(tensors.begin(), tensors.end(), holds_it))
    fault(formatted("{} of {} bytes is outside of all tensors of the launch: {}",
                    current->instruction, bytes, near(first)));
}

void check_global(const void *address, int bytes) {
  check_dependency();
  check_alignment(address, bytes);
  check_global_range(address, uint32_t(bytes));
}

void load_global(const void *address, void *registers, int bytes, place where) {
  TK_BEGIN("ld.global");
  check_global(address, bytes);
  memcpy(registers, address, size_t(bytes));
}

void load_early(const void *address, void *registers, int bytes, place where) {
  TK_BEGIN("ld.relaxed.global");
  check_alignment(address, bytes);
  check_global_range(address, uint32_t(bytes));
  const uint64_t anything = running->random.next();
  if (anything % 2 == 0)
    memcpy(registers, address, size_t(bytes));
  else
    memcpy(registers, reinterpret_cast<const char *>(&anything) + 8 - bytes, size_t(bytes));
}

void store_global(void *address, const void *registers, int bytes, content held, place where) {
  TK_BEGIN("st.global");
  check_global(address, bytes);
  check_registers(registers, bytes, held);
  memcpy(address, registers, size_t(bytes));
}

} // namespace tk::emulator
