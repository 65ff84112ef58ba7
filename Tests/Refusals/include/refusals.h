// SPDX-License-Identifier: MIT
// System calls that fail on demand, for all code in the program: its own, libuv, libevent and libdispatch. The program defines
// the libc functions that make the calls. Under a sanitizer, which defines some of them itself, nothing is refused.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// The calls that can be refused, as bits of a set.
enum refusable {
    REFUSABLE_EPOLL_CREATE = 1 << 0,
    REFUSABLE_EPOLL_ADD = 1 << 1,
    REFUSABLE_EVENTFD = 1 << 2,
    REFUSABLE_TIMERFD = 1 << 3,
    REFUSABLE_PIPE = 1 << 4,
    REFUSABLE_SOCKETPAIR = 1 << 5,
    REFUSABLE_SOCKET = 1 << 6,
    REFUSABLE_ACCEPT = 1 << 7,
    REFUSABLE_BIND = 1 << 8,
    REFUSABLE_LISTEN = 1 << 9,
    REFUSABLE_CONNECT = 1 << 10,
    REFUSABLE_SEND = 1 << 11,
    REFUSABLE_RECEIVE = 1 << 12,
    REFUSABLE_THREAD = 1 << 13,
    REFUSABLE_SPAWN = 1 << 14,
};

// Whether calls can be refused in this build.
bool refusals_are_possible(void);
// Refuses `count` calls of a set with `error`, after the first `after` calls.
void refuse(uint32_t calls, int error, long after, long count);
void refuse_nothing(void);
// Also refuses calls after which a library ends the process, until `refuse_nothing`.
void refuse_libraries_too(void);
// The number of calls refused since the last `refuse`.
long refusals(void);

// A client that is never refused: connects to a port of 127.0.0.1, sends four bytes and waits this long for them. Returns 0 or an
// errno.
int plain_echo(uint16_t port, int milliseconds);
// Connects and sends nothing. Returns the descriptor, or -1.
int plain_connect(uint16_t port);
// The processor time of this process in microseconds.
long plain_cpu_us(void);
