//===- NormalNumbers.h - Normally distributed numbers, fast ---------------===//
//
// Marsaglia's polar method, two numbers at a time. The numbers are those of
// libstdc++'s std::normal_distribution<float>, which computes two logarithms of
// long double for each, to learn how many bits the generator's numbers have: a
// twelfth of the time of running gemm.tk.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_RUN_NORMALNUMBERS_H
#define TKC_RUN_NORMALNUMBERS_H

#include <cmath>
#include <optional>
#include <random>
#include <utility>

namespace tkc::run {

class NormalNumbers {
public:
  explicit NormalNumbers(std::mt19937_64 &random) : random(random) {}

  float next() {
    if (std::optional<float> number = std::exchange(second, std::nullopt))
      return *number;
    float x, y, square;
    do {
      x = float(double(2 * uniform()) - 1); // of both, which are rounded once
      y = float(double(2 * uniform()) - 1);
      square = x * x + y * y;
    } while (square > 1 || square == 0);
    const float factor = std::sqrt(-2 * std::log(square) / square);
    second = x * factor;
    return y * factor;
  }

private:
  std::mt19937_64 &random;
  std::optional<float> second;

  /// From 0 to 1, without 1.
  float uniform() {
    const float number = float(random()) * 0x1p-64f;
    return number < 1 ? number : 0x1.fffffep-1f;
  }
};

} // namespace tkc::run

#endif // TKC_RUN_NORMALNUMBERS_H
