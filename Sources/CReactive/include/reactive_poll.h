// SPDX-License-Identifier: MIT
// epoll, eventfd and timerfd. Their constants are macros or enums that Swift does not import from Glibc. This header
// includes no system header: a module that is imported beside libevent's must not define the same types differently.
#pragma once
#include <stddef.h>
#include <stdint.h>

size_t reactive_epoll_event_size(void);
int reactive_epoll_create(void);
// operation: 1 adds, 2 removes, 3 changes. Returns 0 or an errno.
int reactive_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token);
// If milliseconds < 0, there is no time limit. Returns the number of events, or -errno.
int reactive_epoll_wait(int epoll, void *_Nonnull events, int capacity, int milliseconds);
// Returns an event's token, and stores its readiness in `ready`.
uint64_t reactive_epoll_event(const void *_Nonnull events, int index, uint32_t *_Nonnull ready);

// Opens `count` descriptors, at most 16, of the kinds that event loops open, and closes them. Returns 0, or the errno of
// the first failure.
int reactive_check_descriptors(int count);

int reactive_eventfd(void);
// Both functions are async-signal-safe. reactive_eventfd_signal preserves errno.
void reactive_eventfd_signal(int fd);
void reactive_eventfd_clear(int fd);

int reactive_timerfd(void);
// Arms the timer for an absolute instant of CLOCK_MONOTONIC. 0 disarms it. The call also clears the timer's readiness.
// Returns 0 or an errno.
int reactive_timerfd_set(int fd, int64_t nanoseconds);

// Opens /dev/null on each of the descriptors 0, 1 and 2 that is closed.
void reactive_fill_standard_streams(void);
