#include "core/scheduler.h"
#include "core/crash.h"
#include "core/immortal.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/text.h"

#include <algorithm>
#include <utility>

namespace tk::emulator {

machine *running;
thread *current;
thread_position *position;

namespace {

auto &stacks = make_immortal<stack_pool>();

void hand_over(thread &self);

[[noreturn]] void thread_main(transfer from) {
  thread &self = *current;
  arrive(from);
  running->what->body(running->what->arguments);
  begin("exit", place(), __builtin_return_address(0));
  check_exit(self);
  self.done = true;
  --self.home->live;
  complete_cluster_barrier(*self.home->home);
  ++running->progress;
  hand_over(self);
  __builtin_unreachable();
}

std::unique_ptr<block> start_block(int index, int rank, cluster &together) {
  const launch_description &what = *running->what;
  auto b = std::make_unique<block>();
  b->index = index;
  b->rank = rank;
  b->home = &together;
  b->threads = std::vector<thread>(size_t(what.threads));
  b->warps.resize((what.threads + 31) / 32);
  b->warpgroups = std::vector<warpgroup_state>(size_t(what.threads + 127) / 128);
  b->runnable.resize(b->warpgroups.size());
  b->memory.assign(what.shared_bytes, poison_byte);
  b->cells.resize((what.shared_bytes + cell_bytes - 1) / cell_bytes);
  b->live = what.threads;

  for (size_t w = 0; w < b->warps.size(); ++w) {
    b->warps[w].size = std::min(32, what.threads - int(w) * 32);
    b->warps[w].operands.resize(32);
  }
  // What ptxas gives each thread at entry: the register file, shared out in units of 8.
  const int sharers = what.threads * std::max(1, what.blocks_per_sm);
  const int entry_registers = std::min(256, 65536 / sharers / 8 * 8);
  for (size_t w = 0; w < b->warpgroups.size(); ++w) {
    warpgroup_state &group = b->warpgroups[w];
    group.meeting.size = std::min(128, what.threads - int(w) * 128);
    group.meeting.operands.resize(128);
    group.agent = together.new_agent();
    group.registers = entry_registers;
  }
  return b;
}

// False if memory is out.
bool start_threads(block &b) {
  const launch_description &what = *running->what;
  const cluster &together = *b.home;
  vector_clock known; // by all of them
  known.raise_own(together.dependency_component(), what.dependent ? 0 : 1);
  known.history = new_history();
  for (int i = 0; i < what.threads; ++i) {
    thread &t = b.threads[size_t(i)];
    t.thread_index = {unsigned(i), 0, 0};
    t.block_index = {unsigned(b.index), 0, 0};
    t.block_extent = {unsigned(what.threads), 1, 1};
    t.grid_extent = {unsigned(what.blocks), 1, 1};
    t.cluster_rank = uint32_t(b.rank);
    t.cluster_blocks = uint32_t(together.blocks.size());
    t.home = &b;
    t.number = i;
    t.component = uint32_t(b.rank * what.threads + i);
    t.clock = known;
    t.clock.belong_to(t.component, together.fence_component(t.component));
    t.stack = stacks.take();
    if (!t.stack) {
      fault_of(b, {}, "no memory for the stacks of the block's threads");
      return false;
    }
    t.resume = make_fiber(t.stack, thread_main);
    b.runnable[size_t(t.warpgroup())].push_back(&t);
    ++b.runnable_count;
  }
  return true;
}

void start_cluster() {
  machine &m = *running;
  auto together = std::make_unique<cluster>();
  const int blocks = std::max(1, m.what->cluster);
  together->threads = uint32_t(blocks * m.what->threads);
  together->components = together->dependency_component() + 1;
  for (int rank = 0; rank < blocks; ++rank)
    together->blocks.push_back(start_block(m.next_block++, rank, *together));
  m.resident.push_back(std::move(together));
  for (auto &b : m.resident.back()->blocks) {
    m.blocks.push_back(b.get());
    if (!start_threads(*b))
      return;
  }
}

void give_stacks_back(block &b) {
  for (thread &t : b.threads)
    if (t.stack)
      stacks.give(t.stack);
}

thread &take(block &b, size_t warpgroup) {
  auto &queue = b.runnable[warpgroup];
  std::swap(queue[running->random.below(uint32_t(queue.size()))], queue.back());
  thread *t = queue.back();
  queue.pop_back();
  --b.runnable_count;
  return *t;
}

thread &choose_thread(block &b) {
  const size_t groups = b.runnable.size();
  // Now and then anybody, so that who repeats itself until another has done something is not alone.
  const bool by_policy = !running->spinning || !running->random.one_in(4);
  if (running->chosen.timing == policy::consumer_first && by_policy)
    for (size_t g = groups; g-- > 0;)
      if (!b.runnable[g].empty())
        return take(b, g);

  const size_t starved = size_t(running->starved) % groups;
  const bool skip = running->chosen.timing == policy::starve && by_policy &&
                    b.runnable[starved].size() < b.runnable_count;
  uint32_t index =
      running->random.below(uint32_t(b.runnable_count - (skip ? b.runnable[starved].size() : 0)));
  for (size_t g = 0; g < groups; ++g) {
    if (skip && g == starved)
      continue;
    if (index < b.runnable[g].size())
      return take(b, g);
    index -= uint32_t(b.runnable[g].size());
  }
  return take(b, starved); // not reached: the sizes add up
}

bool asynchronous_turn(const block &b) {
  if (b.pending.empty())
    return false;
  if (b.runnable_count == 0)
    return true;
  if (running->spinning && running->random.one_in(8))
    return true;
  switch (running->chosen.timing) {
  case policy::latest:
    return false;
  case policy::earliest:
    return true;
  default:
    return running->random.one_in(running->async_odds);
  }
}

void perform_any(block &b) {
  std::swap(b.pending[running->random.below(uint32_t(b.pending.size()))], b.pending.back());
  async_operation operation = std::move(b.pending.back());
  b.pending.pop_back();
  ++running->progress;
  perform(std::move(operation));
}

bool has_work(const block &b) { return b.runnable_count > 0 || !b.pending.empty(); }

// Threads in a try_wait may be told "not yet", which real ones are too. Returns whether there was
// one.
bool let_waiters_give_up() {
  bool any = false;
  for (block *b : running->blocks)
    for (thread &t : b->threads)
      if (t.may_give_up && t.waiting == wait_for::phase) {
        std::erase(static_cast<mbarrier *>(const_cast<void *>(t.waiting_on))->waiting, &t);
        wake(t);
        any = true;
      }
  return any;
}

bool finished(const cluster &together) {
  return std::all_of(together.blocks.begin(), together.blocks.end(),
                     [](const auto &b) { return b->live == 0 && b->pending.empty(); });
}

void end_cluster(const cluster &together) {
  machine &m = *running;
  for (auto &b : together.blocks)
    give_stacks_back(*b);
  std::erase_if(m.blocks, [&](const block *b) { return b->home == &together; });
  std::erase_if(m.resident, [&](const auto &other) { return other.get() == &together; });
}

bool can_start_cluster() {
  const machine &m = *running;
  return m.next_block < m.what->blocks &&
         (m.blocks.empty() ||
          int(m.blocks.size()) + std::max(1, m.what->cluster) <= m.chosen.num_sms);
}

turn choose_turn() {
  machine &m = *running;
  if (m.failed || m.blocks.empty() || can_start_cluster())
    return {};
  // Stay with a block for a while: its stacks are in the cache.
  if (m.random.one_in(64))
    m.block_in_turn = m.random.below(uint32_t(m.blocks.size()));
  m.block_in_turn %= m.blocks.size();
  for (size_t tried = 0; tried < m.blocks.size() && !has_work(*m.blocks[m.block_in_turn]) &&
                         !finished(*m.blocks[m.block_in_turn]->home);
       ++tried)
    m.block_in_turn = (m.block_in_turn + 1) % m.blocks.size();
  block &b = *m.blocks[m.block_in_turn];
  if (!m.patient || !has_work(b))
    return {.home = &b};
  if (asynchronous_turn(b))
    return {.home = &b, .is_operation = true};
  return {.home = &b, .next = &choose_thread(b)};
}

void resume(thread &t) {
  current = &t;
  position = &t;
  leave_for(running->scheduler, t.resume);
  current = nullptr;
}

// Leaves a thread for the one whose turn it is, or for the scheduler if it is nobody's.
void hand_over(thread &self) {
  const turn chosen = choose_turn();
  if (!chosen.next) {
    running->chosen_turn = chosen;
    leave_for(self.resume, running->scheduler);
  } else if (chosen.next != &self) {
    current = chosen.next;
    position = chosen.next;
    leave_for(self.resume, chosen.next->resume);
  }
}

} // namespace

machine::machine() = default;
machine::~machine() = default;

uint64_t virtual_time(place where) {
  TK_BEGIN("mov.clock");
  return running->instructions;
}

uint32_t number_site() {
  const uint64_t key = uint64_t(uintptr_t(current->pc)) << 14 | uint64_t(current->component);
  const auto [found, is_new] =
      running->site_numbers.try_emplace(key, uint32_t(running->sites.size()));
  if (is_new)
    running->sites.push_back(site_of(*current));
  current->numbered_pc = current->pc;
  return current->site_number = found->second;
}

const site &site_at(uint32_t number) { return running->sites[number]; }

site site_of(const thread &t) { return {t.pc, t.where, t.instruction, t.number, t.home->index}; }

void wait(wait_for why, const void *on, uint32_t value) {
  current->waiting = why;
  current->waiting_on = on;
  current->waiting_value = value;
  hand_over(*current);
}

void wake(thread &t) {
  t.waiting = wait_for::nothing;
  t.home->runnable[t.warpgroup()].push_back(&t);
  ++t.home->runnable_count;
}

void wake_all(std::vector<thread *> &threads) {
  for (thread *t : threads)
    wake(*t);
  threads.clear();
}

void be_overtaken() {
  if (!running->random.one_in(4))
    return;
  wake(*current);
  wait(wait_for::nothing);
}

void spin() {
  running->spinning = true;
  wake(*current);
  wait(wait_for::nothing);
}

void issue(async_operation operation) {
  block &home = *operation.home;
  home.pending.push_back(std::move(operation));
}

void meet_mismatch(const rendezvous &r, const char *instruction) {
  fault(formatted("{} must be executed together by {} threads, but some of them execute {}",
                  r.instruction, r.size, instruction),
        {{"other", formatted("thread {} executes {}", r.first->number, r.instruction),
          site_of(*r.first)}});
}

void run_launch() {
  machine &m = *running;
  uint64_t last_progress = 0;
  int idle = 0;
  while (true) {
    while (!m.failed && can_start_cluster())
      start_cluster();
    if (m.failed || m.blocks.empty())
      break;
    turn now = std::exchange(m.chosen_turn, {});
    if (!now.home)
      now = choose_turn();
    if (now.next) {
      resume(*now.next);
    } else if (now.is_operation) {
      perform_any(*now.home);
    } else if (!m.patient) {
      record_deadlock();
    } else if (finished(*now.home->home)) {
      end_cluster(*now.home->home);
    } else {
      idle = m.progress == last_progress ? idle + 1 : 0;
      last_progress = m.progress;
      if (idle > 100 || !let_waiters_give_up())
        record_deadlock();
    }
  }
}

void drop_blocks() {
  for (block *b : running->blocks)
    give_stacks_back(*b);
  running->blocks.clear();
  running->resident.clear();
  stacks.end_launch();
}

void give_stacks(stack_pool::receiver *receive, stack_pool &to) { stacks.give_all(receive, to); }

} // namespace tk::emulator
