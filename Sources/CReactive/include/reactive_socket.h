// SPDX-License-Identifier: MIT
// accept4, which Swift's Glibc lacks.
#pragma once
#include <stdint.h>

// Returns a non-blocking, close-on-exec connection, or -1 with errno. Writes the peer's address to `address`, which has
// room for `*length` bytes, and its length to `*length`.
int reactive_accept(int fd, void *_Nonnull address, uint32_t *_Nonnull length);
