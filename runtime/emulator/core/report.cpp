#include "core/report.h"
#include "core/scheduler.h"
#include "core/source.h"
#include "core/text.h"

#include <execinfo.h>

namespace tk::emulator {
namespace {

// Names of memory and barriers are found when a report is written; until then a mark stands for
// them.
constexpr char mark_begin = '\x01', mark_end = '\x02';

std::string name_in_text(source_finder &finder, uint32_t address) {
  const uint32_t offset = local(address) - shared_base;
  const auto [area, first] = finder.area_of(offset);
  if (area.empty())
    return formatted("shared byte {}", int(offset));
  return formatted("shared byte {} ({} + {})", int(offset), area, first);
}

// "full[1]": from the line of its initialisation, `full.init(1);`, and its place among those of
// that line.
std::string barrier_in_text(source_finder &finder, const block &home, uint32_t address) {
  const auto line_of = [&](const mbarrier &m) { return finder.find(site_at(m.initialised.site)); };
  const auto found = home.mbarriers.find(local(address));
  if (found != home.mbarriers.end()) {
    const source_line line = line_of(found->second);
    const size_t dot = line.text.find(".init(");
    if (dot != std::string::npos) {
      int index = 0;
      for (const auto &[other, m] : home.mbarriers)
        if (other < local(address) && line_of(m).number == line.number)
          ++index;
      return formatted("{}[{}]", line.text.substr(0, dot), index);
    }
  }
  return formatted("the mbarrier at {}", name_in_text(finder, address));
}

const block *block_of(int index) {
  for (const block *b : running->blocks)
    if (b->index == index)
      return b;
  return nullptr;
}

std::string with_names(source_finder &finder, const fault_record &record, const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != mark_begin) {
      result += text[i];
      continue;
    }
    const size_t end = text.find(mark_end, i);
    const uint32_t address = uint32_t(std::stoul(text.substr(i + 2, end - i - 2)));
    const block *home = block_of(record.block);
    result += text[i + 1] == 'b' && home ? barrier_in_text(finder, *home, address)
                                         : name_in_text(finder, address);
    i = end;
  }
  return result;
}

std::string numbers(std::vector<int> threads) {
  std::string text;
  for (size_t i = 0; i < threads.size();) {
    size_t j = i;
    while (j + 1 < threads.size() && threads[j + 1] == threads[j] + 1)
      ++j;
    text +=
        formatted("{}{}", text.empty() ? "" : ", ",
                  i == j ? std::to_string(threads[i]) : formatted("{}-{}", threads[i], threads[j]));
    i = j + 1;
  }
  return formatted("thread{} {}", threads.size() == 1 ? "" : "s", text);
}

// What a blocked thread waits for, in words.
std::string reason(const thread &t) {
  switch (t.waiting) {
  case wait_for::phase: {
    const auto &m = *static_cast<const mbarrier *>(t.waiting_on);
    std::string text = formatted("{} to complete phase {}: {} of {} arrivals have come",
                                 name_of_barrier(m), m.phase, m.count - m.pending, m.count);
    if (m.bytes_expected || m.bytes_landed)
      text += formatted(", {} of {} expected bytes have landed", m.bytes_landed, m.bytes_expected);
    return text;
  }
  case wait_for::named_barrier: {
    const auto &b = *static_cast<const named_barrier_state *>(t.waiting_on);
    return formatted("{} {}: {} of {} threads are there",
                     t.waiting_value ? "named barrier" : "__syncthreads, barrier", t.waiting_value,
                     b.arrived, b.expected);
  }
  case wait_for::cluster_barrier: {
    const auto &together = *static_cast<const cluster *>(t.waiting_on);
    return formatted("the cluster barrier: {} of {} threads are there", together.barrier_arrived,
                     together.live());
  }
  case wait_for::copies:
    return "their asynchronous copies";
  case wait_for::others: {
    const auto &r = *static_cast<const rendezvous *>(t.waiting_on);
    return formatted("the other {} of {} threads to execute {} with them", r.size - r.arrived,
                     r.size, r.instruction);
  }
  case wait_for::registers: {
    const auto &group = *static_cast<const warpgroup_state *>(t.waiting_on);
    return formatted("{} registers per thread: they have {}, and the block's pool has {} left",
                     t.waiting_value, group.registers, t.home->register_pool);
  }
  case wait_for::mmas:
    return "their MMAs";
  case wait_for::bulk_groups:
    return "their bulk stores";
  case wait_for::nothing:
    break;
  }
  return "nothing";
}

// How near a thread's wait is to its end: what has almost come is most likely where the mistake is.
int telling(const thread &t) {
  if (t.waiting == wait_for::phase) {
    const auto &m = *static_cast<const mbarrier *>(t.waiting_on);
    return m.pending == 0 ? 3 : m.pending < m.count ? 2 : 0;
  }
  return t.waiting == wait_for::registers ? 3 : t.waiting == wait_for::named_barrier ? 1 : 0;
}

void record(const block *home, const site &where, std::string what, std::vector<note> notes) {
  running->failed = true;
  if (running->fault) // the first one counts
    return;
  running->fault = std::make_unique<fault_record>();
  fault_record &r = *running->fault;
  r.what = std::move(what);
  r.where = where;
  r.block = home ? home->index : -1;
  r.thread = where.thread;
  r.notes = std::move(notes);
}

} // namespace

std::string who_of(const site &where) {
  return running->what->cluster > 1 ? formatted("thread {} of block {}", where.thread, where.block)
                                    : formatted("thread {}", where.thread);
}

std::string name_of_address(uint32_t address) {
  return formatted("{}a{}{}", mark_begin, address, mark_end);
}
std::string name_of_barrier(const mbarrier &barrier) {
  return formatted("{}b{}{}", mark_begin, barrier.address, mark_end);
}

void fault(std::string what, std::vector<note> notes) {
  record(current->home, site_of(*current), std::move(what), std::move(notes));
  void *frames[16];
  const int count = backtrace(frames, 16);
  running->fault->frames = {
      current->pc}; // usually in the kernel itself; else one of its callers is
  running->fault->frames.insert(running->fault->frames.end(), frames, frames + count);
  leave_for(current->resume, running->scheduler);
  __builtin_unreachable();
}

void fault_of(const block &home, const site &where, std::string what, std::vector<note> notes) {
  record(&home, where, std::move(what), std::move(notes));
}

void record_deadlock() {
  // Threads that wait for the same at the same place are told together.
  struct group {
    const thread *one;
    std::vector<int> threads;
  };
  std::vector<note> notes;
  const block *first = nullptr; // the others run the same code: one is enough
  for (const block *b : running->blocks) {
    if (b->live == 0 || (first && first->home != b->home))
      continue;
    if (!first)
      first = b;
    std::vector<group> groups;
    std::vector<int> ended;
    for (const thread &t : b->threads) {
      if (t.done) {
        ended.push_back(t.number);
        continue;
      }
      const auto same = [&](const group &g) {
        return g.one->waiting == t.waiting && g.one->waiting_on == t.waiting_on &&
               g.one->pc == t.pc;
      };
      auto found = std::find_if(groups.begin(), groups.end(), same);
      if (found == groups.end())
        found = groups.insert(groups.end(), {&t, {}});
      found->threads.push_back(t.number);
    }
    std::stable_sort(groups.begin(), groups.end(), [](const group &a, const group &b) {
      return telling(*a.one) > telling(*b.one);
    });
    for (const group &g : groups)
      notes.push_back({"",
                       formatted("{}{} {} for {}", numbers(g.threads),
                                 running->what->cluster > 1 ? formatted(" of block {}", b->index)
                                                            : std::string(),
                                 g.threads.size() == 1 ? "waits" : "wait", reason(*g.one)),
                       site_of(*g.one)});
    if (!ended.empty())
      notes.push_back({"ended", numbers(ended), {}});
  }
  std::string what = "deadlock: no thread can go on, and nothing is under way that could free one";
  if (!notes.empty())
    what = formatted("deadlock: {}", notes.front().text);
  const site where = notes.empty() ? site() : notes.front().where;
  record(first, where, std::move(what), std::move(notes));
  running->fault->thread = -1;
}

rendered_report render(const fault_record &r) {
  source_finder finder;
  std::set<const void *> addresses(r.frames.begin(), r.frames.end());
  addresses.insert(r.where.pc);
  for (const note &n : r.notes)
    addresses.insert(n.where.pc);
  if (const block *home = block_of(r.block))
    for (const auto &[address, m] : home->mbarriers)
      addresses.insert(site_at(m.initialised.site).pc);
  finder.look_up(addresses);

  source_line at = finder.find(r.frames.empty() ? std::vector{r.where.pc} : r.frames, r.where);
  // A thread that ends has no line; what it leaves behind has.
  for (const note &n : r.notes)
    if (at.file.empty() && n.where.pc)
      at = finder.find(n.where);
  const std::string what = with_names(finder, r, r.what);
  std::string who = r.block < 0 ? std::string("the launch") : formatted("block {}", r.block);
  if (r.thread >= 0 && std::string_view(r.where.instruction).starts_with("wgmma"))
    who += formatted(", warpgroup {}", r.thread / 128); // all of its threads execute it
  else if (r.thread >= 0)
    who += formatted(", thread {} of warp {}", r.thread, r.thread / 32);
  const std::string timing =
      formatted("seed {}, policy {}", running->chosen.seed, name_of(running->chosen.timing));

  rendered_report report;
  report.message = formatted("{}: {}", running->what->kernel, what);
  if (!at.file.empty())
    report.message += formatted(" [{}:{}]", at.file, at.number);
  if (!at.origin.empty())
    report.message += formatted(" [{}]", at.origin.substr(0, at.origin.find(" |")));

  std::string &text = report.text;
  const auto line = [&](std::string_view label, std::string_view rest) {
    text += formatted("  {:<12}{}\n", label, rest);
  };
  text = formatted("tk emulator: {}: {}\n", running->what->kernel, what);
  line("who", at.role.empty() ? who : formatted("{} ({})", who, at.role));
  if (!at.file.empty())
    line("where", at.shown());
  if (!at.origin.empty())
    line("from", at.origin);
  for (const note &n : r.notes) {
    const source_line there = n.where.pc ? finder.find(n.where) : source_line();
    const std::string label = !n.label.empty()     ? n.label
                              : there.role.empty() ? "waiting"
                                                   : there.role;
    line(label, with_names(finder, r, n.text));
    if (n.where.pc)
      line("", formatted("at {}{}", there.shown(),
                         there.origin.empty() ? "" : formatted(", from {}", there.origin)));
  }
  line("timing", timing);
  return report;
}

} // namespace tk::emulator
