// SPDX-License-Identifier: MIT
// Passing descriptors over Unix sockets, with macros that Swift cannot import (cmsg(3)).
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sends bytes and at most 64 descriptors with one call. Returns the number of bytes, or -1 with errno.
long reactive_send_descriptors(
    int socket, const void *_Nonnull bytes, size_t length, const int *_Nonnull descriptors, size_t count);

// Receives bytes and at most `*count` descriptors, which are close-on-exec. Sets `*count` to their number, and
// `*truncated` if the kernel has dropped descriptors, for example because the process has no free one. Returns the
// number of bytes, or -1 with errno.
long reactive_receive_descriptors(
    int socket, void *_Nonnull bytes, size_t length, int *_Nonnull descriptors, size_t *_Nonnull count,
    bool *_Nonnull truncated);

// The effective user of the process that has connected, or that listens (SO_PEERCRED). Returns 0, or an error number.
int reactive_peer_user(int socket, uint32_t *_Nonnull user);
