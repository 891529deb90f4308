#include "core/crash.h"
#include "core/machine.h"

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace tk::emulator {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGVTALRM};
constexpr int turns_without_progress = 12; // of the timer
sigjmp_buf way_out;
alignas(16) char signal_stack[64 * 1024];
uint64_t seen_instructions, seen_progress;
int turns;

void on_timer(void *context) {
  if (running->progress != seen_progress)
    turns = 0;
  else if (++turns >= turns_without_progress)
    running->patient = false;
  seen_progress = running->progress;
  if (current && running->instructions == seen_instructions) {
#ifdef __x86_64__
    const greg_t *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    current->pc = reinterpret_cast<const void *>(registers[REG_RIP]); // in the loop
#endif
    siglongjmp(way_out, endless_loop);
  }
  seen_instructions = running->instructions;
}

void on_signal(int number, siginfo_t *, void *context) {
  if (number == SIGVTALRM)
    return on_timer(context);
  if (current) // kernel code: leave its fiber for good
    siglongjmp(way_out, number);
  signal(number, SIG_DFL); // the emulator itself, or the host: not ours to hide
  raise(number);
}

timer_t start_timer(int seconds) {
  seen_instructions = seen_progress = 0;
  turns = 0;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event._sigev_un._tid = pid_t(syscall(SYS_gettid));
  timer_t timer = {};
  timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer);
  itimerspec every = {};
  every.it_interval.tv_sec = every.it_value.tv_sec = seconds;
  timer_settime(timer, 0, &every, nullptr);
  return timer;
}

} // namespace

int run_guarded(void (*work)(), int patience) {
  stack_t ours = {}, before = {};
  ours.ss_sp = signal_stack;
  ours.ss_size = sizeof signal_stack;
  sigaltstack(&ours, &before);

  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO | SA_RESTART;
  struct sigaction old[std::size(signals)];
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &action, &old[i]);
  const timer_t timer = start_timer(patience);

  const int number = sigsetjmp(way_out, 1);
  if (number == 0)
    work();

  timer_delete(timer);
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &old[i], nullptr);
  sigaltstack(&before, nullptr);
  return number;
}

} // namespace tk::emulator
