// accept4, which Swift's Glibc leaves out.
#pragma once
#include <stdint.h>

// A connection that does not block and is not inherited by children, or -1 with errno. The peer's address is written to
// `address`, which has room for `*length` bytes; `*length` is then how long it is.
int reactive_accept(int fd, void *_Nonnull address, uint32_t *_Nonnull length);
