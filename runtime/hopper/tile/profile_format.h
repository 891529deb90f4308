//===- tile/profile_format.h - How records lie in a file and in memory ----===//
//
// A file that `tkc trace` reads holds what the kernel has written to global memory,
// as it is: words of 32 bits, the low byte first.
//
//     16 words      magic, format, build (2), kernel, blocks, streams of a block,
//                   records of a stream, words of the buffer, zeros
//     then for each block and each of its streams
//     12 words      records that were to be written, SM, %globaltimer and %clock64
//                   at its begin and at its end (2 words each), zeros
//     2 words each  the records: the low word of %clock; the number, and above its 16
//                   bits the low 16 bits of the loop's variable
//
// Where a tile begins, two records more hold four indices of the tile, a word each.
// Records that do not fit are counted and not written.
//
// Plain C++: tkc includes it too.
//
//===----------------------------------------------------------------------===//
#ifndef TK_TILE_PROFILE_FORMAT_H
#define TK_TILE_PROFILE_FORMAT_H

#include <stdint.h>

namespace tk {

constexpr uint32_t profile_magic = 0x46504b54; // "TKPF"
constexpr uint32_t profile_format = 1;
constexpr int profile_header_words = 16;
constexpr int profile_stream_words = 12;
constexpr int profile_record_words = 2;
constexpr uint32_t profile_unfinished = 0xffffffff; // for the number of records, while the role runs

} // namespace tk

#endif // TK_TILE_PROFILE_FORMAT_H
