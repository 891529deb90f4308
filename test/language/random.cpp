// Tests Philox against the known answers of its authors, and the numbers of elements against the
// words they are made of.
//
// RUN: %gxx %s -o %t && %t
// RUN: %clangxx -fsyntax-only %s
#include "expect.h"

namespace {
/// Random123's kat_vectors for philox4x32-10.
void check_known_answers() {
  using tk::detail::four_words;
  using tk::detail::philox;
  auto check = [](four_words counter, unsigned key0, unsigned key1, four_words answer) {
    const four_words result = philox(counter, key0, key1);
    for (int i = 0; i < 4; ++i)
      expect("philox", i, 0, result.word[i], answer.word[i], 0);
  };
  const unsigned ones = 0xffffffffu;
  check({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  check({{ones, ones, ones, ones}}, ones, ones, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  check({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
        {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

/// Each number is one word of one counter, and each word is used once.
void check_elements() {
  const auto u = random<rt_fl<32, 32>>(7, 0, 0, 3);
  for (unsigned r = 0; r < 32; ++r)
    for (unsigned c = 0; c < 32; ++c) {
      const unsigned word = (r / 8 % 2) * 2 + c % 2;
      const auto four = tk::detail::philox({{c / 2, r / 16 * 8 + r % 8, 3, 0}}, 7, 0);
      expect("random", int(r), int(c), u.at(int(r), int(c)), (four.word[word] >> 8) / 0x1p24, 0);
    }
  rt_fl<16, 16> later;
  random(later, 7, 16, 5, 3);
  expect_each(
      "a tile elsewhere has the numbers of its place", later,
      [&](int i, int j) { return u.at(16 + i, 5 + j); }, 0);
  expect_each(
      "random in a map",
      map(later, [](float, int r, int c) { return random(7, 16 + r, 5 + c, 3); }),
      [&](int i, int j) { return u.at(16 + i, 5 + j); }, 0);
}

/// Evenly distributed, and other seeds and sequences give other numbers.
void check_distribution() {
  int below[10] = {}, same = 0;
  double sum = 0;
  const auto u = random<rt_fl<256, 256>>(1, 0, 0), v = random<rt_fl<256, 256>>(2, 0, 0),
             w = random<rt_fl<256, 256>>(1, 0, 0, 1);
  for (int i = 0; i < 256; ++i)
    for (int j = 0; j < 256; ++j) {
      const float x = u.at(i, j);
      expect("0 <= random < 1", x >= 0 && x < 1);
      ++below[static_cast<int>(x * 10)];
      sum += x;
      same += (x == v.at(i, j)) + (x == w.at(i, j));
    }
  const double n = 65536, deviation = std::sqrt(n * 0.1 * 0.9);
  for (int count : below)
    expect("a tenth of the numbers in each tenth", std::fabs(count - n / 10) < 4.5 * deviation);
  expect("mean", std::fabs(sum / n - 0.5) < 4.5 * std::sqrt(1 / 12.0 / n));
  expect("seeds and sequences differ", same < 5);
}
} // namespace

int main() {
  check_known_answers();
  check_elements();
  check_distribution();
  return finished();
}
