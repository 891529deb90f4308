#include "core/fiber.h"

#include <algorithm>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <string>
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
    has_mapped_ = true;
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
  if (has_mapped_ && !crowded_)
    crowded_ = count_mappings() > many_mappings;
  has_asked_ = has_mapped_ = false;
  if (!crowded_)
    return;
  for (void *memory : mapped_)
    munmap(memory, count * (stack_bytes + guard_bytes()));
  mapped_.clear();
  free_.clear();
}

} // namespace tk::emulator
