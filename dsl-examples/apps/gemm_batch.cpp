// gemm_batch.cpp - Matmuls of the sizes on the command line, each checked.
//
//   gemm_batch 512x512x512 130x70x96        M x N x K
#include "gemm.h"
#include "memory.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

struct Matrix {
  tk_tensor view;
  std::vector<float> values;

  Matrix(int64_t rows, int64_t columns) : values(size_t(rows * columns)) {
    const int64_t extents[] = {rows, columns};
    view = make_tensor(TK_BF16, 2, extents);
  }
  ~Matrix() { free_tensor(&view); }
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;

  void fill(std::mt19937 &random) {
    std::uniform_int_distribution<int> numbers(-8, 8); // exact in bf16
    for (float &value : values)
      value = float(numbers(random)) / 8;
    write_tensor(&view, values.data());
  }
};

// Small outputs fill more of the device with small tiles.
static tk_status multiply(const Matrix &a, const Matrix &b, const Matrix &c) {
  if (c.view.extents[0] * c.view.extents[1] < 2048 * 2048)
    return gemm_64_128(&a.view, &b.view, &c.view, nullptr);
  return gemm(&a.view, &b.view, &c.view, nullptr);
}

static double worst_error(const Matrix &a, const Matrix &b, const Matrix &c, int64_t m, int64_t n, int64_t k) {
  double worst = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += double(a.values[i * k + l]) * b.values[l * n + j];
      worst = std::max(worst, std::abs(sum - c.values[i * n + j]) / (1 + std::abs(sum)));
    }
  return worst;
}

static bool run(int64_t m, int64_t n, int64_t k) {
  std::mt19937 random(1);
  Matrix a(m, k), b(k, n), c(m, n);
  a.fill(random);
  b.fill(random);
  const tk_status status = multiply(a, b, c);
  if (status.code != TK_OK) {
    std::fprintf(stderr, "%s\n", status.message);
    return false;
  }
  read_tensor(&c.view, c.values.data());
  const double error = worst_error(a, b, c, m, n, k);
  const bool right = error < 1.0 / 128; // half a step of bf16
  std::printf("%lldx%lldx%lld: off by %.4f, %s\n", (long long)m, (long long)n, (long long)k, error,
              right ? "right" : "WRONG");
  return right;
}

int main(int argc, char **argv) {
  bool right = argc > 1;
  if (!right)
    std::fprintf(stderr, "usage: gemm_batch MxNxK...\n");
  for (int i = 1; i < argc; ++i) {
    long long m, n, k;
    if (std::sscanf(argv[i], "%lldx%lldx%lld", &m, &n, &k) != 3 || m < 1 || n < 1 || k < 1) {
      std::fprintf(stderr, "'%s' is not MxNxK\n", argv[i]);
      return 2;
    }
    right &= run(m, n, k);
  }
  return right ? 0 : 1;
}
