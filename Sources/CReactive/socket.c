// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_socket.h"
#include <stddef.h>
#include <sys/socket.h>

int reactive_accept(int fd, void *address, uint32_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
