// SPDX-License-Identifier: MIT
// accept4 and POLLRDHUP, which Swift's Glibc lacks.
#pragma once
#include <stdint.h>

// Returns a nonblocking, close-on-exec connection, or -1 with errno. `address` has room for `*length` bytes. The call
// writes the peer's address to `address`, and the length of that address to `*length`.
int reactive_accept(int fd, void *_Nonnull address, uint32_t *_Nonnull length);

// Returns 1 if the peer has ended its stream or the connection has failed, even if unread bytes precede that. Otherwise 0.
int reactive_stream_has_ended(int fd);
