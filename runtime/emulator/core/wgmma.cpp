//===- core/wgmma.cpp - wgmma: who owns the registers, and when -----------===//
//
// An MMA takes its accumulators out of the hands of the threads: from its
// issue on they are poisoned, and their values live in a matrix here. They come
// back when a wait has covered the last MMA that writes them. In between
// further MMAs may chain on them. Before the first MMA on registers
// that the threads hold, a wgmma_fence must hand them over: after the last time
// any came back, and after the last time these were written.
//
// Fragments of A stay where they are, but must still hold the same when the wait
// has covered the MMA that reads them, and the same as at the last fence when an MMA reads
// registers that one has read before.
//
// Operands in shared memory are checked at issue (they must have been written,
// and count as being read until the wait) and read when the scheduler executes
// the MMA: at any time between issue and wait, in order of issue.
//
//===----------------------------------------------------------------------===//
#include "core/multiply.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"
#include "core/text.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace tk::emulator {
namespace {

struct issued_operands : wgmma_operands {
  thread *issuer;
};

constexpr uint32_t poison_pair[] = {poison_bits, poison_bits};
constexpr size_t remembered = 4;            // accumulators that threads hold
constexpr size_t remembered_fragments = 16; // of A: those of two tiles of 64 x 128

warpgroup_state &own_warpgroup() {
  warpgroup_state &group = current->home->warpgroups[size_t(current->warpgroup())];
  if (group.meeting.size != 128)
    fault(formatted("{} needs a warpgroup of 128 threads, but this one has {}",
                    current->instruction, group.meeting.size));
  return group;
}

// Calls visit(i, place) for the registers i and i + 1 of thread t, which are neighbours in the
// 64 x n matrix, too.
template <typename Visit> void for_each_pair(int t, int n, Visit visit) {
  const int row = 16 * (t / 32) + t % 32 / 4, column = 2 * (t % 4);
  for (int i = 0; i < n / 2; i += 2)
    visit(i, (row + 8 * (i / 2 % 2)) * n + 8 * (i / 4) + column);
}

bool same_registers(const accumulator &known, const wgmma_operands &p) {
  return known.registers[0] == p.d && known.n == p.n && known.integer == is_integer(p.a_type);
}

bool overlap(const accumulator &known, const wgmma_operands &p) {
  const auto *first = static_cast<const unsigned char *>(p.d);
  return known.registers[0] < first + 2 * p.n && first < known.registers[0] + known.bytes();
}

// The accumulators that these registers are, if they are in flight.
accumulator *find_in_flight(warpgroup_state &group, const wgmma_operands &p) {
  for (auto &known : group.accumulators) {
    if (!overlap(*known, p))
      continue;
    if (!same_registers(*known, p))
      fault("an MMA accumulates in registers that partly belong to an MMA in flight of "
            "another shape",
            {{"issued", "the other", known->issued},
             {"fix", "call wgmma_wait before the shape changes", {}}});
    return known.get();
  }
  return nullptr;
}

std::vector<uint32_t> bits_of(const accumulator &held) {
  std::vector<uint32_t> bits(size_t(64 * held.n));
  for (int t = 0; t < 128; ++t)
    memcpy(&bits[size_t(t * held.n / 2)], held.registers[t], size_t(held.bytes()));
  return bits;
}

// Threads that have written registers since the fence have not handed these over with it. A
// variable that was declared since then and has no value yet may have been written by nobody.
void check_untouched(const accumulator &held) {
  if (held.at_fence.empty())
    return;
  const std::vector<uint32_t> now = bits_of(held);
  for (size_t i = 0; i < now.size(); ++i)
    if (now[i] != held.at_fence[i] && now[i] != uninitialised_bits)
      fault(formatted("an MMA is issued on register {} of an accumulator, which thread {} of the "
                      "warpgroup has written since the last wgmma_fence",
                      i % size_t(held.n / 2), i / size_t(held.n / 2)),
            {{"fix", "call wgmma_fence after the write and before the MMA", {}}});
}

std::unique_ptr<accumulator> held_by_threads(warpgroup_state &group,
                                             const issued_operands *const *operands) {
  const wgmma_operands &p = *operands[0];
  for (auto known = group.returned.begin(); known != group.returned.end(); ++known)
    if (same_registers(**known, p)) {
      auto held = std::move(*known);
      group.returned.erase(known);
      check_untouched(*held);
      return held;
    }
  std::erase_if(group.returned, [&](const auto &known) { return overlap(*known, p); });
  auto held = std::make_unique<accumulator>();
  held->n = p.n;
  held->integer = is_integer(p.a_type);
  for (int t = 0; t < 128; ++t)
    held->registers[t] = static_cast<unsigned char *>(operands[t]->d);
  return held;
}

accumulator *take_over(warpgroup_state &group, const issued_operands *const *operands) {
  const wgmma_operands &p = *operands[0];
  if (group.fences == 0 || (group.any_returned && group.fences <= group.fences_at_return))
    fault("an MMA is issued on registers that no wgmma_fence has handed to the tensor cores "
          "since they were last "
          "with the threads",
          {{"fix", "call wgmma_fence before the first MMA after a wgmma_wait", {}}});
  auto target = held_by_threads(group, operands);
  if (p.accumulate)
    for (int t = 0; t < 128; ++t)
      check_registers(operands[t]->d, 2 * p.n, content::words);
  if (target->integer)
    target->integers.resize(size_t(64 * p.n));
  else
    target->values.resize(size_t(64 * p.n));
  for (int t = 0; t < 128; ++t)
    for_each_pair(
        t, p.n, [&, registers = target->registers[t], matrix = target->matrix()](int i, int place) {
          memcpy(matrix + 4 * place, registers + 4 * i, 8);
          memcpy(registers + 4 * i, poison_pair, 8);
        });
  target->at_fence.clear();
  group.accumulators.push_back(std::move(target));
  return group.accumulators.back().get();
}

void hand_back(accumulator &target) {
  for (int t = 0; t < 128; ++t)
    for (int i = 0; i < target.n / 2; i += 2)
      if (const unsigned char *pair = target.registers[t] + 4 * i; memcmp(pair, poison_pair, 8))
        fault(formatted("register {} of an accumulator was written while its MMA was in flight",
                        memcmp(pair, poison_pair, 4) ? i : i + 1),
              {{"issued", "the MMA", target.issued}});
  for (int t = 0; t < 128; ++t)
    for_each_pair(t, target.n,
                  [registers = target.registers[t], matrix = target.matrix()](int i, int place) {
                    memcpy(registers + 4 * i, matrix + 4 * place, 8);
                  });
}

void check_fragment(const a_fragment &read) {
  for (int t = 0; t < 128; ++t)
    for (int r = 0; r < 4; ++r) {
      const uint32_t now = read.registers[t][r];
      if (now != read.bits[size_t(4 * t + r)] && now != uninitialised_bits)
        fault(formatted("register {} of a fragment of A was written by thread {} of the warpgroup "
                        "while the MMA that reads it was in flight",
                        r, t),
              {{"issued", "the MMA", read.issued},
               {"fix", "call wgmma_wait before the fragment is written again", {}}});
    }
}

std::vector<uint32_t> bits_of(const a_fragment &read) {
  std::vector<uint32_t> bits(512);
  for (int t = 0; t < 128; ++t)
    memcpy(&bits[size_t(4 * t)], read.registers[t], 16);
  return bits;
}

// Threads that have written a fragment since the fence have not handed it over with that. Known are
// the registers that an MMA before has read: those of an iteration before.
void check_handed_over(warpgroup_state &group, const a_fragment &read) {
  auto known = std::ranges::find_if(
      group.read, [&](const auto &other) { return other.registers[0] == read.registers[0]; });
  if (known == group.read.end())
    return;
  for (size_t i = 0; i < known->at_fence.size(); ++i)
    if (read.bits[i] != known->at_fence[i] && known->at_fence[i] != uninitialised_bits)
      fault(formatted("an MMA reads register {} of a fragment of A, which thread {} of the "
                      "warpgroup has written since the last wgmma_fence",
                      i % 4, i / 4),
            {{"fix", "call wgmma_fence after the write and before the MMA", {}}});
  group.read.erase(known);
}

// The A fragment of 128 threads as a 64 x k matrix, whose rows hold 32 bytes of the operand.
void read_fragment(mma &queued, warpgroup_state &group, const issued_operands *const *operands) {
  const int size = int(bytes_of(queued.a_type)), k = 32 / size;
  a_fragment fragment;
  fragment.bits.resize(512);
  fragment.group = queued.group;
  fragment.issued = site_of(*current);
  queued.a_values.resize(size_t(64 * k));
  for (int t = 0; t < 128; ++t) {
    fragment.registers[t] = operands[t]->a_registers;
    check_registers(operands[t]->a_registers, 16, content_of(queued.a_type));
    memcpy(&fragment.bits[size_t(4 * t)], operands[t]->a_registers, 16);
    for (int r = 0; r < 4; ++r) {
      const int row = 16 * (t / 32) + t % 32 / 4 + 8 * (r % 2), begin = 16 * (r / 2) + 4 * (t % 4);
      const auto *bytes = reinterpret_cast<const unsigned char *>(operands[t]->a_registers + r);
      for (int byte = 0; byte < 4; byte += size)
        queued.a_values[size_t(row * k + (begin + byte) / size)] =
            value_at(bytes + byte, queued.a_type);
    }
  }
  check_handed_over(group, fragment);
  group.fragments.push_back(std::move(fragment));
}

void note_operand(observer &who, uint64_t descriptor, int major, int mn, epoch as) {
  if (const uint64_t bits = operand_layout::unknown_bits(descriptor))
    fault(
        formatted("the wgmma descriptor {:#018x} has bits set that have no meaning here: {:#018x}",
                  descriptor, bits));
  const operand_layout layout = operand_layout::decode(descriptor, major != 0);
  for (uint32_t line = 0; line < layout.lines(uint32_t(mn)); ++line)
    for (uint32_t group = 0; group < layout.groups(uint32_t(mn)); ++group) {
      const uint32_t address = layout.chunk(line, group);
      check_range(address_in(uint32_t(current->home->rank), address), 16, 16);
      note_read(who, *current->home, address, 16, as);
    }
}

void issue_mma(warpgroup_state &group, const issued_operands *const *operands) {
  const issued_operands &p = *operands[0];
  for (int t = 1; t < 128; ++t)
    if (operands[t]->a != p.a || operands[t]->b != p.b || operands[t]->n != p.n ||
        operands[t]->accumulate != p.accumulate || operands[t]->negates != p.negates)
      fault(
          formatted("thread {} gives a wgmma another descriptor or another scale-d than thread {}",
                    operands[t]->issuer->number, p.issuer->number));

  accumulator *target = find_in_flight(group, p);
  if (!target)
    target = take_over(group, operands);
  target->last_group = group.committed + 1;
  target->issued = site_of(*current);

  thread *issuers[128];
  for (int t = 0; t < 128; ++t)
    issuers[t] = operands[t]->issuer;
  observer who(issuers, 128);
  const epoch as = {group.agent, group.committed + 1, here()};
  if (!p.a_registers)
    note_operand(who, p.a, p.a_major, 64, as);
  note_operand(who, p.b, p.b_major, p.n, as);

  mma queued = {.target = target,
                .a_type = p.a_type,
                .b_type = p.b_type,
                .a = p.a,
                .b = p.b,
                .a_major = p.a_major,
                .b_major = p.b_major,
                .a_in_registers = p.a_registers != nullptr,
                .accumulate = p.accumulate,
                .negates = p.negates,
                .group = group.committed + 1,
                .a_values = {}};
  if (p.a_registers)
    read_fragment(queued, group, operands);
  group.queue.push_back(std::move(queued));
}

void schedule(block &home, int warpgroup) {
  warpgroup_state &group = home.warpgroups[size_t(warpgroup)];
  if (group.scheduled || group.queue.empty())
    return;
  group.scheduled = true;
  async_operation turn = {};
  turn.kind = async_operation::mma;
  turn.home = &home;
  turn.warpgroup = warpgroup;
  issue(std::move(turn));
}

} // namespace

void wgmma(const wgmma_operands &operands, place where) {
  TK_BEGIN("wgmma");
  warpgroup_state &group = own_warpgroup();
  issued_operands mine = {operands, current};
  meet(group.meeting, current->instruction, current->number % 128, &mine, [&](void **all) {
    issue_mma(group, reinterpret_cast<const issued_operands *const *>(all));
    schedule(*current->home, current->warpgroup());
  });
}

void perform_mma(block &home, int warpgroup) {
  warpgroup_state &group = home.warpgroups[size_t(warpgroup)];
  group.scheduled = false;
  mma p = std::move(group.queue.front());
  group.queue.pop_front();

  alignas(64) static float a[64 * 32], b[32 * 256];
  const int n = p.target->n, k = int(32 / bytes_of(p.a_type));
  if (!p.a_in_registers)
    unpack(a, home, operand_layout::decode(p.a, p.a_major != 0), 64, p.a_type, /*by_k=*/false);
  unpack(b, home, operand_layout::decode(p.b, p.b_major != 0), uint32_t(n), p.b_type,
         /*by_k=*/true);
  float *const left = p.a_in_registers ? p.a_values.data() : a;
  if (p.negates)
    std::transform(left, left + 64 * k, left, std::negate<>());
  const auto multiply = [&](auto &d) {
    if (!p.accumulate)
      std::fill(d.begin(), d.end(), 0);
    multiply_add(d.data(), left, b, n, k);
  };
  if (p.target->integer)
    multiply(p.target->integers);
  else
    multiply(p.target->values);

  schedule(home, warpgroup);
  wake_all(group.waiting); // they look again
}

void wgmma_fence(place where) {
  TK_BEGIN("wgmma.fence");
  warpgroup_state &group = own_warpgroup();
  meet(group.meeting, current->instruction, current->number % 128, current, [&](void **) {
    ++group.fences;
    for (const auto &held : group.returned)
      held->at_fence = bits_of(*held);
    for (auto *fragments : {&group.read, &group.fragments})
      for (a_fragment &known : *fragments)
        known.at_fence = bits_of(known);
  });
}

void wgmma_commit(place where) {
  TK_BEGIN("wgmma.commit_group");
  warpgroup_state &group = own_warpgroup();
  meet(group.meeting, current->instruction, current->number % 128, current,
       [&](void **) { ++group.committed; });
}

void wgmma_wait(int pending, place where) {
  TK_BEGIN("wgmma.wait_group");
  warpgroup_state &group = own_warpgroup();
  meet(group.meeting, current->instruction, current->number % 128, current, [](void **) {});
  const uint32_t target =
      group.committed > uint32_t(pending) ? group.committed - uint32_t(pending) : 0;
  while (!group.queue.empty() && group.queue.front().group <= target) {
    group.waiting.push_back(current);
    wait(wait_for::mmas, &group, target);
  }
  // The first thread to come here does it for all.
  for (const a_fragment &read : group.fragments)
    if (read.group <= target)
      check_fragment(read);
  for (a_fragment &read : group.fragments)
    if (read.group <= target)
      group.read.push_front(std::move(read));
  std::erase_if(group.fragments, [&](const auto &read) { return read.group <= target; });
  if (group.read.size() > remembered_fragments)
    group.read.resize(remembered_fragments);
  for (auto &known : group.accumulators)
    if (known->last_group <= target) {
      hand_back(*known);
      group.fences_at_return = group.fences;
      group.any_returned = true;
      group.returned.push_front(std::move(known));
    }
  std::erase_if(group.accumulators, [](const auto &known) { return !known; });
  if (group.returned.size() > remembered)
    group.returned.resize(remembered);
  current->clock.raise(group.agent, target);
}

} // namespace tk::emulator
