//===- host/fourier.h - Tables of Fourier transforms ----------------------===//
//
// The factors of dsl-examples/fftconv.tk, computed in double. It takes
// a transform of `size` = rows * cols points apart as Monarch does: with x[i, j] =
// x[cols * i + j], transforms of `rows` points along the columns, the twiddle
// factors w^(i j), then transforms of `cols` points along the rows, which leave
// frequency i + rows * j at [i, j]. The kernel has rows = 64. All is bf16 but the
// twiddle factors, which are half: no tensor core reads them.
//
// For the host alone; nothing here needs CUDA.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_FOURIER_H
#define TK_HOST_FOURIER_H

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

// The nearest bf16, ties to even, of a number that is neither infinite nor NaN. A double is rounded to float first.
inline uint16_t bf16_bits(double value) {
  const float narrow = float(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The nearest half, ties to even, of a number of at most 65504.
inline uint16_t f16_bits(double value) {
  int exponent;
  const double magnitude = std::fabs(value);
  std::frexp(magnitude, &exponent); // magnitude < 2^exponent
  const bool is_normal = magnitude > 0 && exponent >= -13;
  // In units of the last of eleven bits; 2048 units are the next exponent's first number.
  const int units = int(std::nearbyint(std::ldexp(magnitude, is_normal ? 11 - exponent : 24)));
  const int bits = is_normal ? (exponent + 14) * 1024 + units - 1024 : units;
  return uint16_t(bits | (std::signbit(value) ? 0x8000 : 0));
}

// w^power, where w = exp(-2 pi i / size).
inline std::complex<double> unit_root(int64_t power, int64_t size) {
  constexpr double pi = 3.14159265358979323846;
  return std::polar(1.0, -2 * pi * double(power % size) / double(size));
}

// The matrix of a transform of `size` points, w^(i j): its real parts, its imaginary parts and, where they are wanted,
// these with their sign turned; (2 or 3, size, size).
inline std::vector<uint16_t> dft_matrix(int size, bool with_minus) {
  std::vector<uint16_t> planes;
  for (int plane = 0; plane < (with_minus ? 3 : 2); ++plane)
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        const std::complex<double> w = unit_root(int64_t(i) * j, size);
        planes.push_back(bf16_bits(plane == 0 ? w.real() : plane == 1 ? w.imag() : -w.imag()));
      }
  return planes;
}

// The factors between the two steps, w^(i j) with the root of rows * cols, and their conjugates: real and imaginary
// parts of both, as half; (4, rows, cols).
inline std::vector<uint16_t> twiddle_factors(int rows, int cols) {
  std::vector<uint16_t> planes;
  for (int plane = 0; plane < 4; ++plane)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j) {
        const std::complex<double> w = unit_root(int64_t(i) * j, int64_t(rows) * cols);
        planes.push_back(f16_bits(plane % 2 == 0 ? w.real() : plane == 1 ? w.imag() : -w.imag()));
      }
  return planes;
}

// The spectrum of a filter of `count` real taps, at most rows * cols, divided by rows * cols, in the kernel's order:
// real and imaginary parts, (2, rows, cols). It takes time in proportion to (rows * cols) * (rows + cols).
inline std::vector<uint16_t> filter_spectrum(const float *taps, int64_t count, int rows, int cols) {
  const int64_t size = int64_t(rows) * cols;
  std::vector<std::complex<double>> half(size), roots(size);
  for (int64_t power = 0; power < size; ++power)
    roots[power] = unit_root(power, size);
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < cols; ++j) {
      std::complex<double> sum = 0;
      for (int64_t i = 0; i < rows && cols * i + j < count; ++i)
        sum += double(taps[cols * i + j]) * roots[cols * (i * k % rows)];
      half[int64_t(cols) * k + j] = sum * roots[int64_t(k) * j];
    }
  std::vector<uint16_t> planes(2 * size);
  for (int k = 0; k < rows; ++k)
    for (int n = 0; n < cols; ++n) {
      std::complex<double> sum = 0;
      for (int j = 0; j < cols; ++j)
        sum += half[int64_t(cols) * k + j] * roots[rows * (int64_t(j) * n % cols)];
      planes[int64_t(cols) * k + n] = bf16_bits(sum.real() / double(size));
      planes[size + int64_t(cols) * k + n] = bf16_bits(sum.imag() / double(size));
    }
  return planes;
}

} // namespace host
} // namespace tk

#endif // TK_HOST_FOURIER_H
