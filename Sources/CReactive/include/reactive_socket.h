// SPDX-License-Identifier: MIT
// accept4, which Swift's Glibc lacks.
#pragma once
#include <stdint.h>

// Returns a nonblocking, close-on-exec connection, or -1 with errno. `address` has room for `*length` bytes. The call
// writes the peer's address to `address`, and the length of that address to `*length`.
int reactive_accept(int fd, void *_Nonnull address, uint32_t *_Nonnull length);
