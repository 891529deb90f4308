#include "core/fiber.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>

namespace tk::emulator {

namespace {

// Many at once: one mapping costs more than the stack's first pages.
constexpr size_t count = 128;

// A quarter of what Linux allows a process by default.
constexpr auto many_mappings = 16'384;

size_t guard_bytes() { return size_t(sysconf(_SC_PAGESIZE)); }

auto count_mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

} // namespace

void *stack_pool::take() {
  if (free_.empty()) {
    const size_t guard = guard_bytes();
    const size_t step = stack_bytes + guard;
    void *memory = mmap(nullptr, count * step, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    mapped_.push_back(memory);
    for (size_t i = 0; i < count; ++i) {
      char *lowest = static_cast<char *>(memory) + i * step;
      mprotect(lowest, guard, PROT_NONE); // stacks grow down: an overflow ends here
      free_.push_back(lowest + step);
    }
  }
  void *top = free_.back();
  free_.pop_back();
  return top;
}

void stack_pool::end_launch() {
  // Counting takes milliseconds: only launches that needed new stacks do.
  if (mapped_.size() > counted_ && !crowded_)
    crowded_ = count_mappings() > many_mappings;
  counted_ = mapped_.size();
  if (!crowded_)
    return;
  for (void *memory : mapped_)
    munmap(memory, count * (stack_bytes + guard_bytes()));
  mapped_.clear();
  free_.clear();
}

} // namespace tk::emulator
