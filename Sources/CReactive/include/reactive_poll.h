// epoll, eventfd and timerfd: their constants are macros or enums that Swift does not import from Glibc.
// No system header is included here: a module that is imported beside libevent's must not define the same types otherwise.
#pragma once
#include <stddef.h>
#include <stdint.h>

size_t reactive_epoll_event_size(void);
int reactive_epoll_create(void);
// operation: 1 adds, 2 removes, 3 changes. Returns 0 or an errno.
int reactive_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token);
// milliseconds < 0 waits for as long as it takes. Returns the number of events, or -errno.
int reactive_epoll_wait(int epoll, void *_Nonnull events, int capacity, int milliseconds);
// One of them: its token, and what it is ready for.
uint64_t reactive_epoll_event(const void *_Nonnull events, int index, uint32_t *_Nonnull ready);

// Opens and closes so many descriptors, of the kinds that event loops open. 0, or the errno of the first that was refused.
int reactive_check_descriptors(int count);

int reactive_eventfd(void);
// Both are async-signal-safe and leave errno alone or are called where it does not matter.
void reactive_eventfd_signal(int fd);
void reactive_eventfd_clear(int fd);

int reactive_timerfd(void);
// An absolute instant of CLOCK_MONOTONIC; 0 disarms. Setting it also clears its readiness.
int reactive_timerfd_set(int fd, int64_t nanoseconds);

// Opens /dev/null for each of 0, 1 and 2 that is closed.
void reactive_fill_standard_streams(void);
