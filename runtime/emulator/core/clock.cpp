#include "core/clock.h"
#include "core/immortal.h"

namespace tk::emulator {
namespace {

using shared_row = std::shared_ptr<std::vector<uint32_t>>;

// The larger counters of both.
shared_row joined(const shared_row &one, const shared_row &other) {
  if (!other || one == other)
    return one;
  if (!one)
    return other;
  const auto &[shorter, longer] =
      std::minmax(*one, *other, [](const auto &a, const auto &b) { return a.size() < b.size(); });
  auto row = std::make_shared<std::vector<uint32_t>>(longer);
  for (size_t i = 0; i < shorter.size(); ++i)
    (*row)[i] = std::max(longer[i], shorter[i]);
  return row;
}

// Rows that were made lately, by the history of the threads that made them. Few are alive at a
// time: those of the warpgroups' last steps.
struct made_row {
  uint64_t history = 0;
  shared_row row;
};
auto &made_rows = make_immortal<std::array<made_row, 64>>();

} // namespace

void vector_clock::follow(uint64_t what) {
  uint64_t z = history * 0xbf58476d1ce4e5b9 + what;
  z = (z ^ z >> 30) * 0x94d049bb133111eb;
  history = z ^ z >> 31;
}

template <typename Make> void vector_clock::replace(Make make) {
  made_row &slot = made_rows[history % made_rows.size()];
  if (slot.history != history)
    slot = {history, make()};
  row = slot.row;
}

void vector_clock::raise_in_row(uint32_t component, uint32_t counter) {
  if (of_others(component) >= counter)
    return;
  if (row.use_count() != 1)
    row = row ? std::make_shared<counters>(*row) : std::make_shared<counters>();
  if (component >= row->size())
    row->resize(component + 16, 0);
  (*row)[component] = counter;
}

void vector_clock::raise_own(uint32_t component, uint32_t counter) {
  for (auto &[number, own_counter] : own)
    if (component == number) {
      own_counter = std::max(own_counter, counter);
      return;
    }
  raise_in_row(component, counter);
}

void vector_clock::raise(uint32_t component, uint32_t counter) {
  follow(uint64_t(component) << 32 | counter);
  replace([&] {
    raise_in_row(component, counter);
    return row;
  });
}

void vector_clock::learn(const vector_clock &other) {
  follow(other.history);
  replace([&] { return joined(row, other.row); });
}

void vector_clock::collect(const vector_clock &other) {
  if (collected != other.row) {
    row = joined(row, other.row);
    collected = other.row;
  }
  for (const auto &[component, counter] : other.own)
    if (counter > 0)
      raise_in_row(component, counter);
  history = new_history();
}

vector_clock vector_clock::without_owner() const {
  vector_clock result = *this;
  result.own = {};
  return result;
}

bool vector_clock::covers(const vector_clock &other, uint32_t components) const {
  if (row == other.row && other.own[0].component == UINT32_MAX)
    return true;
  for (uint32_t i = 0; i < components; ++i)
    if (of_others(i) < other[i] && (*this)[i] < other[i])
      return false;
  return true;
}

} // namespace tk::emulator
