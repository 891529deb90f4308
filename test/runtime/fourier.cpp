// Writes the tables of host/fourier.h for 64 x 64 and 64 x 16 points as 16-bit words, for
// fourier.py.
#include <cstdio>
#include <host/fourier.h>

static void write(const std::vector<uint16_t> &words) {
  std::fwrite(words.data(), sizeof(uint16_t), words.size(), stdout);
}

int main() {
  for (const int cols : {64, 16}) {
    write(tk::host::dft_matrix(64, false));
    write(tk::host::dft_matrix(cols, true));
    write(tk::host::twiddle_factors(64, cols));
    // Taps that fill half of the transform and a bit, none a special number.
    std::vector<float> taps(32 * cols + 7);
    for (size_t i = 0; i < taps.size(); ++i)
      taps[i] = float(int(i * 37 % 101) - 50) / 64;
    write(tk::host::filter_spectrum(taps.data(), int64_t(taps.size()), 64, cols));
  }
}
