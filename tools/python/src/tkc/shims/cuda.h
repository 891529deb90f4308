//===- cuda.h - The one thing that kernels need of CUDA's headers ---------===//
//
// Stands in for NVIDIA's cuda.h where there is none: for NVRTC, and for the
// launcher module, which hands tensor maps on and never looks into them.
//
//===----------------------------------------------------------------------===//
#ifndef TKC_SHIM_CUDA_H
#define TKC_SHIM_CUDA_H

// As CUDA 13 aligns them: NVRTC makes of a kernel the machine code that nvcc 13 makes of it, byte
// for byte.
struct alignas(128) CUtensorMap {
  unsigned long long opaque[16];
};

#ifdef __CUDACC_RTC__
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#endif

#endif // TKC_SHIM_CUDA_H
