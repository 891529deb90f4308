//===- host/profile.h - Where the records of a profiled launch go ---------===//
//
// Divides the tensor among the blocks and their streams. docs/launch.md has the
// formula for its size, tile/profile.h what lies in it.
//
//===----------------------------------------------------------------------===//
#ifndef TK_HOST_PROFILE_H
#define TK_HOST_PROFILE_H

#include <host/launch.h>
#include <tile/profile.h>

namespace tk {
namespace [[gnu::visibility("hidden")]] host {

// `profile` has been found to be one row of TK_I32 with elements.
inline tk_status profile_records(const char *name, const tk_tensor &profile, const launch_shape &shape, int streams,
                                 profile_buffer &buffer) {
  int num_sms = 0;
  const tk_status status = count_sms(name, num_sms);
  if (status.code != TK_OK)
    return status;
  if (profile.extents[0] > 1 && profile.strides[0] != 1)
    return make_status(TK_INVALID_ARGUMENT, name, "tensor profile has stride %lld when it should be contiguous",
                       (long long)profile.strides[0]);
  if (reinterpret_cast<uintptr_t>(profile.data) % 16 != 0)
    return make_status(TK_INVALID_ARGUMENT, name, "tensor profile starts at address %p, which is not a multiple of 16",
                       profile.data);
  const int64_t all = grid_blocks(shape.tiles, shape.persistent, num_sms, shape.blocks_per_sm, shape.cluster) * streams;
  const int64_t fixed = profile_header_words + all * profile_stream_words;
  if (profile.extents[0] < fixed)
    return make_status(TK_INVALID_ARGUMENT, name,
                       "tensor profile has %lld words, but the records of %lld threads need at least %lld and two for "
                       "each record",
                       (long long)profile.extents[0], (long long)all, (long long)fixed);
  // A tensor has less than 2^31 words.
  buffer.words = static_cast<uint32_t *>(profile.data);
  buffer.capacity = uint32_t((profile.extents[0] - fixed) / all / profile_record_words);
  buffer.size = uint32_t(profile.extents[0]);
  return ok_status();
}

} // namespace host
} // namespace tk

#endif // TK_HOST_PROFILE_H
