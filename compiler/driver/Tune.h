//===- Tune.h - `tkc tune` ------------------------------------------------===//
#ifndef TKC_DRIVER_TUNE_H
#define TKC_DRIVER_TUNE_H

namespace tkc {

/// Becomes the tuner, a program in Python that runs this tkc: tools/python/src/tkc/tuner/cli.py.
/// Returns, with the exit status, only if it cannot be started. `argv` begins with "tune".
int tune(int argc, char **argv);

} // namespace tkc

#endif // TKC_DRIVER_TUNE_H
