//===- core/scheduler.h - Whose turn it is --------------------------------===//
//
// A thread runs until it has to wait; asynchronous operations take place
// between the turns. The policy and the seed decide both. When nobody can run
// and nothing is pending, the launch is deadlocked.
//
// A thread that waits chooses whose turn is next, and leaves for it: a switch
// of stacks costs as much as all the rest. The scheduler, on a stack of its own,
// does what is not a thread's: operations, and the begin and end of blocks.
//
//===----------------------------------------------------------------------===//
#ifndef TK_EMULATOR_CORE_SCHEDULER_H
#define TK_EMULATOR_CORE_SCHEDULER_H

#include "core/machine.h"

namespace tk::emulator {

// Notes which instruction the running thread executes, and from where.
inline void begin(const char *instruction, const place &where, const void *pc) {
  ++running->instructions;
  current->instruction = instruction;
  current->where = where;
  current->pc = pc;
}
#define TK_BEGIN(instruction) ::tk::emulator::begin(instruction, where, __builtin_return_address(0))

// The number of the site where the running thread is now.
uint32_t number_site();
inline uint32_t here() {
  return current->numbered_pc == current->pc ? current->site_number : number_site();
}
const site &site_at(uint32_t number);
site site_of(const thread &t);

// Leaves the running thread until `wake`.
void wait(wait_for why, const void *on = nullptr, uint32_t value = 0);
void wake(thread &t);
void wake_all(std::vector<thread *> &threads);

// Lets others run now and then, where a real thread may be overtaken without waiting.
void be_overtaken();

// Lets others run, whatever the policy: for what a thread may repeat until another has done
// something.
void spin();

void issue(async_operation operation);

// Runs all blocks to their end or to a fault.
void run_launch();
// The blocks that a fault has left behind, with their stacks.
void drop_blocks();
// Gives the stacks that launches have left to another emulator. No launch may be running.
void give_stacks(stack_pool::receiver *receive, stack_pool &to);

// The threads of a warp or warpgroup come together; the last one runs `work(operands)` for all.
template <typename Work>
void meet(rendezvous &r, const char *instruction, int lane, void *operands, Work work);
void meet_mismatch [[noreturn]] (const rendezvous &r, const char *instruction);

template <typename Work>
void meet(rendezvous &r, const char *instruction, int lane, void *operands, Work work) {
  if (r.arrived == 0) {
    r.instruction = instruction;
    r.first = current;
  } else if (r.instruction != instruction) { // literals of this library: one address each
    meet_mismatch(r, instruction);
  }
  r.operands[lane] = operands;
  if (++r.arrived < r.size) {
    r.waiting.push_back(current);
    wait(wait_for::others, &r);
    return;
  }
  work(r.operands.data());
  r.arrived = 0;
  wake_all(r.waiting);
}

} // namespace tk::emulator

#endif // TK_EMULATOR_CORE_SCHEDULER_H
