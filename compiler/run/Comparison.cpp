//===- Comparison.cpp - Whether a tensor holds what it should -------------===//
#include "run/Comparison.h"

#include "run/ElementValues.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace tkc::run;

static std::string inDigits(double value, int digits = 6) {
  std::string text;
  raw_string_ostream(text) << format("%.*g", digits, value);
  return text;
}

static double rootMeanSquare(const TestTensor &tensor, const std::vector<uint8_t> &bytes) {
  double sum = 0;
  int64_t count = 0;
  tensor.forEach([&](const std::vector<int64_t> &, size_t offset) {
    double value = decode(tensor.type(), &bytes[offset]);
    if (!std::isfinite(value))
      return;
    sum += value * value;
    ++count;
  });
  return count ? std::sqrt(sum / double(count)) : 0;
}

namespace {
/// Judges single elements.
struct Judge {
  tk_dtype type;
  double relative, absolute;
  bool wantsSameBits;

  Judge(tk_dtype type, double tolerance, double scale)
      : type(type), relative(tolerance + spacingAtOne(type)), absolute(tolerance * scale),
        wantsSameBits(tolerance < 0) {}

  double allowed(double wanted) const {
    return isInteger(type) ? 1 : relative * std::abs(wanted) + absolute;
  }

  bool isPoison(const uint8_t *element, size_t offset) const {
    return all_of(seq(0u, bytesOf(type)),
                  [&](unsigned i) { return element[i] == poisonByte(type, offset + i); });
  }

  bool isRight(const uint8_t *got, const uint8_t *wanted, size_t offset) const {
    if (memcmp(got, wanted, bytesOf(type)) == 0)
      return true;
    if (wantsSameBits || isPoison(got, offset) || isPoison(wanted, offset))
      return false;
    double a = decode(type, got), b = decode(type, wanted);
    if (!std::isfinite(a) || !std::isfinite(b))
      return a == b || (std::isnan(a) && std::isnan(b));
    return std::abs(a - b) <= allowed(b);
  }

  std::string describe(const uint8_t *got, const uint8_t *wanted, size_t offset) const {
    if (isPoison(got, offset))
      return "was never written";
    double a = decode(type, got), b = decode(type, wanted);
    if (isPoison(wanted, offset))
      return "was written, " + inDigits(a) + ", when the reference leaves it alone";
    if (wantsSameBits)
      return "is " + inDigits(a) + " but was " + inDigits(b) + " under another timing";
    return "is " + inDigits(a) + " when it should be " + inDigits(b) + " +- " +
           inDigits(allowed(b), 2);
  }
};
} // namespace

std::string tkc::run::compare(const std::string &name, const TestTensor &got,
                              const std::vector<uint8_t> &wanted, double tolerance) {
  Judge judge(got.type(), tolerance, rootMeanSquare(got, wanted));
  std::string problem;
  int64_t wrong = 0, count = 0;
  got.forEach([&](const std::vector<int64_t> &index, size_t offset) {
    ++count;
    if (judge.isRight(got.at(offset), &wanted[offset], offset) || wrong++)
      return;
    auto places = map_range(index, [](int64_t i) { return std::to_string(i); });
    problem = name + "[" + join(places, ", ") + "] " +
              judge.describe(got.at(offset), &wanted[offset], offset);
  });
  if (wrong > 1)
    problem += formatv("; so are {0} more of {1} elements", wrong - 1, count).str();
  return problem;
}

double tkc::run::defaultTolerance(const Signature &signature) {
  return std::max(1.0 / 64, signature.coarsestStep / 2);
}
