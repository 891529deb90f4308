/* memory.h - Where the tensors of these programs lie, and their numbers. */
#ifndef APPS_MEMORY_H
#define APPS_MEMORY_H

#include <host/abi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A dense tensor of zeros, two or more dimensions, slowest first. Its rows are padded to 16 bytes, as kernels want
   them. Ends the program when there is no memory. */
tk_tensor make_tensor(tk_dtype type, int rank, const int64_t *extents);
void free_tensor(tk_tensor *tensor);

/* All elements as floats, rows one after the other without padding. */
void write_tensor(const tk_tensor *tensor, const float *values);
void read_tensor(const tk_tensor *tensor, float *values);

#ifdef __cplusplus
}
#endif

#endif
