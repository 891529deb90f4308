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
// The threads of a warpgroup learn the same, all of them. So what somebody knows of the others is
// a row that is shared by all who know it, and made once.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_CLOCK_H
#define TK_EMULATOR_CORE_CLOCK_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace tk::emulator {

// A number that no clock has had.
inline uint64_t new_history() {
  static std::atomic<uint64_t> last = 0;
  return ++last * 0x9e3779b97f4a7c15;
}

class vector_clock {
public:
  // Threads that have learnt the same in the same order have the same history, and then their
  // clocks differ in their own components alone: a thread's, and up to where its writes are visible
  // to the async proxy. So what one of them knows need not be learnt from another again. The clocks
  // of barriers have no owner, and one history each time they change; 0 is none.
  uint64_t history = 0;

  uint32_t operator[](uint32_t component) const {
    for (const auto &[number, counter] : own)
      if (component == number)
        return counter;
    return of_others(component);
  }

  // Makes it the clock of a thread that knows what this one does, and has not done anything.
  void belong_to(uint32_t component, uint32_t fenced) { own = {{{component, 1}, {fenced, 0}}}; }
  void tick() { ++own[0].counter; }

  // Of the owner's components, or of those of threads who meet: the history stays.
  void raise_own(uint32_t component, uint32_t counter);
  void raise(uint32_t component, uint32_t counter);

  // A thread learns what a barrier knows.
  void learn(const vector_clock &other);

  // A barrier learns what a thread knows, or who met.
  void collect(const vector_clock &other);

  // What it knows, its owner's components aside.
  vector_clock without_owner() const;
  // Knows, its owner's components aside, what the other one knows, which is at least as much.
  void adopt(const vector_clock &other, uint64_t new_history) {
    row = other.row;
    history = new_history;
  }

  // Whether everything that the other one knows of its first components is known here too.
  bool covers(const vector_clock &other, uint32_t components) const;

private:
  struct own_counter {
    uint32_t component = UINT32_MAX, counter = 0;
  };
  using counters = std::vector<uint32_t>;

  std::array<own_counter, 2> own;      // of no component: nobody's
  std::shared_ptr<counters> row;       // changed only where nobody shares it
  std::shared_ptr<counters> collected; // which the row holds

  uint32_t of_others(uint32_t component) const {
    return row && component < row->size() ? (*row)[component] : 0;
  }
  void follow(uint64_t what);
  // Replaces the row by what `make()` returns, or by what somebody of the same history has made.
  template <typename Make> void replace(Make make);
  void raise_in_row(uint32_t component, uint32_t counter);
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
