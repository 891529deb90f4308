//===- core/product.cpp - wgmma: who owns the registers, and when ---------===//
//
// A product takes its accumulators out of the hands of the threads: from its
// issue on they are poisoned, and their values live in a matrix here. They come
// back when a wait has covered the last product that writes them. In between
// further products may chain on them. Before the first product on registers
// that the threads hold, a wgmma_fence must hand them over, and it must come
// after the last time any came back.
//
// Operands in shared memory are checked at issue (they must have been written,
// and count as being read until the wait) and read when the scheduler executes
// the product: at any time between issue and wait, in order of issue.
//
//===----------------------------------------------------------------------===//
#include "core/multiply.h"
#include "core/operations.h"
#include "core/report.h"
#include "core/scheduler.h"

#include <fmt/format.h>

namespace tk::emulator {
namespace {

struct product_operands {
  thread *issuer;
  float *d;
  int n;
  number type;
  uint64_t a, b;
  int a_major, b_major;
  const uint32_t *a_registers;
  bool accumulate;
};

warpgroup_state &own_warpgroup() {
  warpgroup_state &group = current->home->warpgroups[size_t(current->warpgroup())];
  if (group.meeting.size != 128)
    fault(fmt::format("{} needs a warpgroup of 128 threads, but this one has {}",
                      current->instruction, group.meeting.size));
  return group;
}

// The place of register i of thread t in the 64 x n matrix.
int place_of(int t, int i, int n) {
  const int row = 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2);
  const int column = 8 * (i / 4) + 2 * (t % 4) + i % 2;
  return row * n + column;
}

bool overlap(const float *a, int a_count, const float *b, int b_count) {
  return a < b + b_count && b < a + a_count;
}

// The accumulators that these registers are, if they are in flight.
accumulator *find_in_flight(warpgroup_state &group, const product_operands &p) {
  for (auto &known : group.accumulators) {
    if (!overlap(known->registers[0], known->n / 2, p.d, p.n / 2))
      continue;
    if (known->registers[0] != p.d || known->n != p.n)
      fault("a product accumulates in registers that partly belong to a product in flight of "
            "another shape",
            {{"issued", "the other", known->issued},
             {"fix", "call wgmma_wait before the shape changes", {}}});
    return known.get();
  }
  return nullptr;
}

accumulator *take_over(warpgroup_state &group, const product_operands *const *operands) {
  const product_operands &p = *operands[0];
  if (group.fences == 0 || (group.any_returned && group.fences <= group.fences_at_return))
    fault("a product is issued on registers that no wgmma_fence has handed to the tensor cores "
          "since they were last "
          "with the threads",
          {{"fix", "call wgmma_fence before the first product after a wgmma_wait", {}}});
  auto target = std::make_unique<accumulator>();
  target->n = p.n;
  target->values.resize(size_t(64 * p.n));
  for (int t = 0; t < 128; ++t) {
    float *d = target->registers[t] = operands[t]->d;
    for (int i = 0; i < p.n / 2; ++i) {
      target->values[size_t(place_of(t, i, p.n))] = d[i];
      d[i] = std::bit_cast<float>(poison_bits);
    }
  }
  group.accumulators.push_back(std::move(target));
  return group.accumulators.back().get();
}

void hand_back(const accumulator &target) {
  for (int t = 0; t < 128; ++t)
    for (int i = 0; i < target.n / 2; ++i)
      if (std::bit_cast<uint32_t>(target.registers[t][i]) != poison_bits)
        fault(fmt::format(
                  "register {} of an accumulator was written while its product was in flight", i),
              {{"issued", "the product", target.issued}});
  for (int t = 0; t < 128; ++t)
    for (int i = 0; i < target.n / 2; ++i)
      target.registers[t][i] = target.values[size_t(place_of(t, i, target.n))];
}

// The A fragment of 128 threads as a 64 x 16 matrix.
std::vector<float> gather_a(const product_operands *const *operands) {
  std::vector<float> values(64 * 16);
  for (int t = 0; t < 128; ++t)
    for (int r = 0; r < 4; ++r) {
      const uint32_t pair = operands[t]->a_registers[r];
      const int row = 16 * (t / 32) + t % 32 / 4 + 8 * (r % 2), k = 8 * (r / 2) + 2 * (t % 4);
      for (int half = 0; half < 2; ++half) {
        const uint16_t bits = uint16_t(pair >> 16 * half);
        values[size_t(row * 16 + k + half)] =
            operands[t]->type == number::bf16 ? bf16_value(bits) : f16_value(bits);
      }
    }
  return values;
}

void note_operand(observer &who, uint64_t descriptor, int major, int mn, epoch as) {
  if (const uint64_t bits = operand_layout::unknown_bits(descriptor))
    fault(fmt::format(
        "the wgmma descriptor {:#018x} has bits set that have no meaning here: {:#018x}",
        descriptor, bits));
  const operand_layout layout = operand_layout::decode(descriptor, major != 0);
  for (uint32_t line = 0; line < layout.lines(uint32_t(mn)); ++line)
    for (uint32_t group = 0; group < layout.groups(uint32_t(mn)); ++group) {
      const uint32_t address = layout.chunk(line, group);
      check_range(address, 16, 16);
      note_read(who, address, 16, as);
    }
}

void issue_product(warpgroup_state &group, const product_operands *const *operands) {
  const product_operands &p = *operands[0];
  for (int t = 1; t < 128; ++t)
    if (operands[t]->a != p.a || operands[t]->b != p.b || operands[t]->n != p.n ||
        operands[t]->accumulate != p.accumulate)
      fault(fmt::format(
          "thread {} gives a wgmma another descriptor or another scale-d than thread {}",
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

  product queued = {target,
                    p.type,
                    p.a,
                    p.b,
                    p.a_major,
                    p.b_major,
                    p.a_registers != nullptr,
                    p.accumulate,
                    group.committed + 1,
                    {}};
  if (p.a_registers)
    queued.a_values = gather_a(operands);
  group.queue.push_back(std::move(queued));
}

void schedule(block &home, int warpgroup) {
  warpgroup_state &group = home.warpgroups[size_t(warpgroup)];
  if (group.scheduled || group.queue.empty())
    return;
  group.scheduled = true;
  async_operation turn = {};
  turn.kind = async_operation::product;
  turn.home = &home;
  turn.warpgroup = warpgroup;
  issue(std::move(turn));
}

} // namespace

void wgmma(float *d, int n, number type, uint64_t a, int a_major, const uint32_t *a_registers,
           uint64_t b, int b_major, bool accumulate, place where) {
  TK_BEGIN("wgmma");
  warpgroup_state &group = own_warpgroup();
  product_operands mine = {current, d, n, type, a, b, a_major, b_major, a_registers, accumulate};
  meet(group.meeting, current->instruction, current->number % 128, &mine, [&](void **operands) {
    issue_product(group, reinterpret_cast<const product_operands *const *>(operands));
    schedule(*current->home, current->warpgroup());
  });
}

void perform_product(block &home, int warpgroup) {
  warpgroup_state &group = home.warpgroups[size_t(warpgroup)];
  group.scheduled = false;
  const product p = std::move(group.queue.front());
  group.queue.pop_front();

  alignas(64) static float a[64 * 16], b[16 * 256];
  if (!p.a_in_registers)
    unpack(a, home, operand_layout::decode(p.a, p.a_major != 0), 64, p.type, /*by_k=*/false);
  unpack(b, home, operand_layout::decode(p.b, p.b_major != 0), uint32_t(p.target->n), p.type,
         /*by_k=*/true);
  std::vector<float> &d = p.target->values;
  if (!p.accumulate)
    std::fill(d.begin(), d.end(), 0.0f);
  multiply_add(d.data(), p.a_in_registers ? p.a_values.data() : a, b, p.target->n);

  schedule(home, warpgroup);
  wake_all(group.waiting); // they look again
}

void wgmma_fence(place where) {
  TK_BEGIN("wgmma.fence");
  warpgroup_state &group = own_warpgroup();
  meet(group.meeting, current->instruction, current->number % 128, current,
       [&](void **) { ++group.fences; });
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
    wait(wait_for::products, &group, target);
  }
  const auto returns = [&](const auto &known) { return known->last_group <= target; };
  for (const auto &known : group.accumulators) // the first thread to come here does it for all
    if (returns(known)) {
      hand_back(*known);
      group.fences_at_return = group.fences;
      group.any_returned = true;
    }
  std::erase_if(group.accumulators, returns);
  current->clock.raise(group.agent, target);
}

} // namespace tk::emulator
