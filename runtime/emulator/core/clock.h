//===- core/clock.h - Vector clocks: what happened before what ------------===//
//
// Two accesses race when neither happens before the other, whatever the
// schedule of this run was. So order is not read off the clock on the wall but
// tracked: everybody carries a vector of counters, one per component, and a
// synchronisation hands the whole vector on (the larger counter of each wins).
// An access is an epoch, one component and its counter; an observer whose
// vector has reached that counter comes after it.
//
// The components of a cluster of T threads in all:
//
//   0 .. T-1      what thread t has done
//   T .. 2T-1     up to where thread t's writes are visible to the async proxy:
//                 fence.proxy.async copies component t to component T + t
//   2T            set once griddepcontrol.wait has returned
//   2T+1 ...      asynchronous agents: the MMAs of a warpgroup count their
//                 groups, an mbarrier its phases, a thread's bulk stores and its
//                 copies their groups (and of its copies, up to where they are
//                 visible to the async proxy)
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_CLOCK_H
#define TK_EMULATOR_CORE_CLOCK_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

namespace tk::emulator {

// A number that no clock has had.
inline uint64_t new_history() {
  static std::atomic<uint64_t> last = 0;
  return ++last * 0x9e3779b97f4a7c15;
}

struct vector_clock {
  std::vector<uint32_t> counters;
  // Threads that have learnt the same in the same order have the same history, and then their
  // clocks differ in their own components alone: a thread's, and up to where its writes are visible
  // to the async proxy. So what one of them knows need not be learnt from another again. The clocks
  // of barriers have no owner, and one history each time they change; 0 is none.
  uint64_t history = 0;

  uint32_t operator[](uint32_t component) const {
    return component < counters.size() ? counters[component] : 0;
  }

  // Of the owner's components.
  void raise_own(uint32_t component, uint32_t counter) {
    if (component >= counters.size())
      counters.resize(component + 1, 0);
    counters[component] = std::max(counters[component], counter);
  }

  void raise(uint32_t component, uint32_t counter) {
    raise_own(component, counter);
    follow(uint64_t(component) << 32 | counter);
  }

  // A thread learns what a barrier knows.
  void learn(const vector_clock &other) {
    join(other);
    follow(other.history);
  }

  // A barrier learns what a thread knows, or who met.
  void collect(const vector_clock &other) {
    join(other);
    history = new_history();
  }

  // Whether everything that the other one knows of its first components is known here too.
  bool covers(const vector_clock &other, uint32_t components) const {
    for (uint32_t i = 0; i < components; ++i)
      if ((*this)[i] < other[i])
        return false;
    return true;
  }

private:
  void join(const vector_clock &other) {
    if (other.counters.size() > counters.size())
      counters.resize(other.counters.size(), 0);
    uint32_t *mine = counters.data();
    const uint32_t *theirs = other.counters.data();
    for (size_t i = 0, n = other.counters.size(); i < n; ++i)
      mine[i] = std::max(mine[i], theirs[i]);
  }

  void follow(uint64_t what) {
    uint64_t z = history * 0xbf58476d1ce4e5b9 + what;
    z = (z ^ z >> 30) * 0x94d049bb133111eb;
    history = z ^ z >> 31;
  }
};

// Who did it, when in its own time, and from which place in the program (an index into the launch's
// sites).
struct epoch {
  uint32_t component = 0;
  uint32_t counter = 0; // 0: never
  uint32_t site = 0;
};

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_CLOCK_H
