// Written by tkc 0.1.0 from nw.tk. Do not edit: change nw.tk and run tkc again.
#ifndef TK_NW_H
#define TK_NW_H

#include <host/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

// kk, nw.tk:1
//   X  float, rank 2, read
//   Y  float, rank 2, written
//   S  float, rank 2, read
// Requires X.rows = Y.rows; rows may be strided, by multiples of 16 bytes. S may have any strides.
tk_status kk(const tk_tensor *X, const tk_tensor *Y, const tk_tensor *S, tk_stream stream);

#ifdef __cplusplus
}
#endif

#endif // TK_NW_H
