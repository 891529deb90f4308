//===- stdint.h - For NVRTC, which has no headers of its own --------------===//
#ifndef TKC_SHIM_STDINT_H
#define TKC_SHIM_STDINT_H

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long long uintptr_t;

#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define INT_MIN (-2147483647 - 1)

#endif // TKC_SHIM_STDINT_H
