// epoll, eventfd and timerfd: their constants are macros or enums that Swift does not import from Glibc.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static inline int reactive_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// operation: EPOLL_CTL_ADD, _DEL, _MOD are 1, 2, 3. Returns 0 or an errno.
static inline int reactive_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = events;
    event.data.u64 = token;
    return epoll_ctl(epoll, operation, fd, &event) == 0 ? 0 : errno;
}

// nanoseconds < 0 waits for as long as it takes. Returns the number of events, or -errno.
static inline int reactive_epoll_wait(int epoll, struct epoll_event *_Nonnull events, int capacity, int64_t nanoseconds) {
    int n;
    if (nanoseconds <= 0) {
        n = epoll_wait(epoll, events, capacity, nanoseconds < 0 ? -1 : 0);
    } else {
        struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
        n = epoll_pwait2(epoll, events, capacity, &timeout, NULL);
        if (n < 0 && errno == ENOSYS) {  // Linux before 5.11: whole milliseconds, rounded up
            int64_t ms = (nanoseconds + 999999) / 1000000;
            n = epoll_wait(epoll, events, capacity, ms > 2147483647 ? 2147483647 : (int)ms);
        }
    }
    return n < 0 ? -errno : n;
}
static inline uint64_t reactive_epoll_token(const struct epoll_event *_Nonnull event) { return event->data.u64; }

static inline int reactive_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
// Both are async-signal-safe. A saturated counter (EAGAIN) is as good as written: the reader will wake up.
static inline void reactive_eventfd_signal(int fd) {
    int saved = errno;
    uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
    errno = saved;
}
static inline void reactive_eventfd_clear(int fd) {
    uint64_t count;
    while (read(fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
}

static inline int reactive_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }
// An absolute instant of CLOCK_MONOTONIC; 0 disarms. Setting it also clears its readiness.
static inline int reactive_timerfd_set(int fd, int64_t nanoseconds) {
    struct itimerspec spec = {{0, 0}, {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) == 0 ? 0 : errno;
}
