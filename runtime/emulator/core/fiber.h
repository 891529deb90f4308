//===- core/fiber.h - A stack that can be left and entered again ----------===//
//
// Each CUDA thread runs on a stack of its own and is left wherever it has to
// wait. A block has hundreds of threads, and a wait is a few dozen instructions
// apart from the next, so the switch must cost nanoseconds: Boost.Context's
// fcontext. A stack that is no longer wanted (after a fault) is simply dropped:
// device code owns nothing that would need a destructor.
//
// Stacks are small and end in a guard page. They are kept for the next launch, which saves it
// milliseconds: the pages that a thread has touched are there already. Every kernel's shared object
// has an emulator of its own, and whose launch is next takes what the others have kept. A launch of
// very many threads leaves none: before Linux 6.13 each is two mappings, of which a process may
// have some 65,000.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_FIBER_H
#define TK_EMULATOR_CORE_FIBER_H

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <vector>

namespace tk::emulator {

using context = boost::context::detail::fcontext_t;
using transfer = boost::context::detail::transfer_t;

class stack_pool {
public:
  static constexpr size_t stack_bytes = 128 * 1024;

  // The upper end of a free stack; null if memory is out.
  void *take();
  void give(void *top) { free_.push_back(top); }
  // No stack is in use any more.
  void end_launch();

  // Takes what a pool has given away.
  using receiver = void(stack_pool &to, const std::vector<void *> &mapped,
                        const std::vector<void *> &unused);
  // Gives everything to a pool of another emulator, which is not in use here.
  void give_all(receiver *receive, stack_pool &to);

private:
  std::vector<void *> free_;
  std::vector<void *> mapped_; // many stacks each
  bool has_asked_ = false;     // the other emulators, in this launch

  void take_from_others();
};

// Of the emulator of each kernel's shared object, found by its name, which says what a stack is:
// gives all stacks away that were kept here. Nothing while a launch is running here.
extern "C" void tk_emulator_give_stacks_128k(stack_pool::receiver *receive, stack_pool &to);

inline context make_fiber(void *stack_top, void (*entry)(transfer)) {
  return boost::context::detail::make_fcontext(stack_top, stack_pool::stack_bytes, entry);
}

// Whoever arrives notes where the one that has left goes on.
inline void arrive(transfer from) { *static_cast<context *>(from.data) = from.fctx; }

// Leaves the running stack, whose own place becomes `own`, until somebody leaves for that.
inline void leave_for(context &own, context to) {
  arrive(boost::context::detail::jump_fcontext(to, &own));
}

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_FIBER_H
