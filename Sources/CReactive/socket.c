// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_socket.h"
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>

int reactive_accept(int fd, void *address, uint32_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int reactive_stream_has_ended(int fd) {
    struct pollfd entry = {fd, POLLRDHUP, 0};
    return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}
