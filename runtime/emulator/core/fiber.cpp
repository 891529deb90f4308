#include "core/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

namespace tk::emulator {

void *stack_pool::take() {
  if (free_.empty()) {
    // Many at once: one mapping costs more than the stack's first pages.
    constexpr size_t count = 128;
    const size_t guard = size_t(sysconf(_SC_PAGESIZE));
    const size_t step = stack_bytes + guard;
    void *memory = mmap(nullptr, count * step, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
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

} // namespace tk::emulator
