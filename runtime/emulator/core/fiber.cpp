#include "core/fiber.h"

#include <dlfcn.h>
#include <link.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace tk::emulator {

namespace {

// Many at once: one mapping costs more than the stack's first pages.
constexpr size_t count = 128;

// Of those, what is kept from launch to launch: 8,192 stacks, and a quarter of the mappings that
// Linux allows a process by default.
constexpr size_t most_kept = 64;

size_t guard_bytes() { return size_t(sysconf(_SC_PAGESIZE)); }

// Whoever touches the page gets a signal. Linux marks it in the page table from 6.13 on; mprotect
// cuts the mapping in two at each: the guards of 1,536 stacks then take 8 to 15 ms to make and to
// unmap in place of 2.
void make_guard(void *page) {
  constexpr int guard_install = 102; // MADV_GUARD_INSTALL
  static bool can_mark = true;
  can_mark = can_mark && madvise(page, guard_bytes(), guard_install) == 0;
  if (!can_mark)
    mprotect(page, guard_bytes(), PROT_NONE);
}

std::vector<std::string> loaded_objects() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *to) {
        static_cast<std::vector<std::string> *>(to)->push_back(object->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

} // namespace

void stack_pool::take_from_others() {
  for (const std::string &name : loaded_objects()) {
    void *object = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD); // no longer there: null
    if (!object)
      continue;
    const auto give = reinterpret_cast<decltype(&tk_emulator_give_stacks_128k)>(
        dlsym(object, "tk_emulator_give_stacks_128k"));
    if (give && give != tk_emulator_give_stacks_128k)
      give(
          [](stack_pool &to, const std::vector<void *> &mapped, const std::vector<void *> &unused) {
            to.mapped_.insert(to.mapped_.end(), mapped.begin(), mapped.end());
            to.free_.insert(to.free_.end(), unused.begin(), unused.end());
          },
          *this);
    dlclose(object);
  }
}

void stack_pool::give_all(receiver *receive, stack_pool &to) {
  receive(to, mapped_, free_);
  mapped_.clear();
  free_.clear();
}

void *stack_pool::take() {
  if (free_.empty() && !has_asked_) {
    has_asked_ = true;
    take_from_others();
  }
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
      make_guard(lowest); // stacks grow down: an overflow ends here
      free_.push_back(lowest + step);
    }
  }
  void *top = free_.back();
  free_.pop_back();
  return top;
}

void stack_pool::end_launch() {
  has_asked_ = false;
  if (mapped_.size() <= most_kept)
    return;
  for (void *memory : mapped_)
    munmap(memory, count * (stack_bytes + guard_bytes()));
  mapped_.clear();
  free_.clear();
}

} // namespace tk::emulator
