//===- TestTensor.cpp - Tensors that notice stray reads and writes --------===//
#include "run/TestTensor.h"

#include "run/ElementValues.h"
#include "run/NormalNumbers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace tkc::run;

static constexpr size_t guardBytes = 1024; // before and after: keeps elements at multiples of 1024

TestTensor::TestTensor(tk_dtype type, std::vector<int64_t> extents, int64_t padding,
                       llvm::function_ref<uint8_t *(size_t)> take)
    : elementType(type), extents(std::move(extents)), strides(this->extents.size(), 1) {
  int64_t size = bytesOf(type), unit = 16 / size;
  int64_t stride = llvm::alignTo(this->extents.back(), unit) + padding * unit;
  for (size_t dim = this->extents.size() - 1; dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(1, this->extents[dim]);
  }
  bytes = size_t(stride * size) + 2 * guardBytes;
  buffer = take(bytes);
  for (size_t i = 0; i < bytes; ++i)
    buffer[i] = poisonByte(type, i);
}

tk_tensor TestTensor::view() {
  tk_tensor result = {};
  result.data = buffer + guardBytes;
  result.dtype = elementType;
  result.rank = int32_t(extents.size());
  std::copy(extents.begin(), extents.end(), result.extents);
  std::copy(strides.begin(), strides.end(), result.strides);
  return result;
}

template <typename Visit> void TestTensor::forEachRow(Visit visit) const {
  size_t rank = extents.size(), size = bytesOf(elementType);
  std::vector<int64_t> index(rank);
  for (int64_t extent : extents)
    if (extent == 0)
      return;
  while (true) {
    size_t offset = guardBytes;
    for (size_t dim = 0; dim < rank; ++dim)
      offset += size_t(index[dim] * strides[dim]) * size;
    visit(index, offset);
    index.back() = extents.back();
    size_t dim = rank - 1;
    while (index[dim] == extents[dim]) {
      if (dim == 0)
        return;
      index[dim] = 0;
      ++index[--dim];
    }
  }
}

void TestTensor::forEach(
    llvm::function_ref<void(const std::vector<int64_t> &, size_t)> visit) const {
  size_t size = bytesOf(elementType);
  forEachRow([&](std::vector<int64_t> &index, size_t offset) {
    for (; index.back() < extents.back(); ++index.back(), offset += size)
      visit(index, offset);
  });
}

void TestTensor::fill(std::mt19937_64 &random, double scale, int64_t limit) {
  NormalNumbers normal(random);
  std::uniform_int_distribution<int64_t> integers(elementType == TK_I8 ? -8 : 0,
                                                  elementType == TK_I8 ? 8 : limit - 1);
  forEach([&](const std::vector<int64_t> &, size_t offset) {
    double value = isInteger(elementType) ? double(integers(random)) : scale * normal.next();
    encode(elementType, value, buffer + offset);
  });
}

void TestTensor::fillWithRows(std::mt19937_64 &random, int64_t rows, bool areDistinct) {
  constexpr int64_t first = -1, beyond = 2;
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  std::vector<int64_t> numbers(std::max(rows + beyond - first, areDistinct ? count : 0));
  std::iota(numbers.begin(), numbers.end(), first);
  std::uniform_int_distribution<size_t> places(0, numbers.size() - 1);
  if (areDistinct)
    std::shuffle(numbers.begin(), numbers.end(), random);
  size_t next = 0;
  forEach([&](const std::vector<int64_t> &, size_t offset) {
    encode(elementType, double(numbers[areDistinct ? next++ : places(random)]), buffer + offset);
  });
}

std::vector<uint8_t> TestTensor::save() const { return {buffer, buffer + bytes}; }

void TestTensor::restore(const std::vector<uint8_t> &saved) { memcpy(buffer, saved.data(), bytes); }

bool TestTensor::surroundingsEqual(const std::vector<uint8_t> &saved) const {
  std::vector<uint8_t> now = save();
  size_t rowBytes = size_t(extents.back()) * bytesOf(elementType);
  forEachRow([&](const std::vector<int64_t> &, size_t offset) {
    memcpy(&now[offset], &saved[offset], rowBytes);
  });
  return now == saved;
}

bool TestTensor::equals(const std::vector<uint8_t> &saved) const {
  return memcmp(buffer, saved.data(), bytes) == 0;
}
