//===- wire.cpp - What goes through a pipe --------------------------------===//
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *buffer::grow(size_t by) {
  if (size + by > capacity) {
    capacity = 2 * (size + by);
    data = static_cast<char *>(realloc(data, capacity));
    if (!data)
      abort();
  }
  size += by;
  return data + size - by;
}

void buffer::append(const void *bytes, size_t count) { memcpy(grow(count), bytes, count); }

void buffer::release() {
  free(data);
  *this = buffer();
}

bool read_all(int file, void *bytes, size_t count) {
  for (char *at = static_cast<char *>(bytes); count;) {
    ssize_t got = read(file, at, count);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    count -= got;
  }
  return true;
}

bool write_all(int file, const void *bytes, size_t count) {
  for (const char *at = static_cast<const char *>(bytes); count;) {
    ssize_t put = write(file, at, count);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    at += put;
    count -= put;
  }
  return true;
}

uint32_t reader::number() {
  uint32_t value = 0;
  if (size_t(end - at) < sizeof value) {
    is_whole = false;
    return 0;
  }
  memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

const char *reader::text() {
  size_t length = number();
  if (size_t(end - at) < length + 1 || at[length]) {
    is_whole = false;
    return "";
  }
  at += length + 1;
  return at - length - 1;
}
