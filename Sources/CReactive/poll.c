// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_poll.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

size_t reactive_epoll_event_size(void) { return sizeof(struct epoll_event); }

int reactive_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int reactive_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = events;
    event.data.u64 = token;
    return epoll_ctl(epoll, operation, fd, &event) == 0 ? 0 : errno;
}

int reactive_epoll_wait(int epoll, void *events, int capacity, int milliseconds) {
    int n = epoll_wait(epoll, events, capacity, milliseconds);
    return n < 0 ? -errno : n;
}

uint64_t reactive_epoll_event(const void *events, int index, uint32_t *ready) {
    const struct epoll_event *event = (const struct epoll_event *)events + index;
    *ready = event->events;
    return event->data.u64;
}

int reactive_check_descriptors(int count) {
    int opened[16], used = 0, code = 0;
    if (count > 16) count = 16;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) return errno;
    opened[used++] = epoll;
    if (pipe2(opened + used, O_CLOEXEC) == 0) used += 2; else code = errno;
    if (!code) { if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, opened + used) == 0) used += 2; else code = errno; }
    while (!code && used < count) {
        int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (fd < 0) code = errno; else opened[used++] = fd;
    }
    for (int i = 0; i < used; i++) close(opened[i]);
    return code;
}

int reactive_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// If the counter is saturated (EAGAIN), no write is needed, because the descriptor is already readable.
void reactive_eventfd_signal(int fd) {
    int saved = errno;
    uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
    errno = saved;
}
void reactive_eventfd_clear(int fd) {
    uint64_t count;
    while (read(fd, &count, sizeof count) < 0 && errno == EINTR) {
    }
}

int reactive_timerfd(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); }

int reactive_timerfd_set(int fd, int64_t nanoseconds) {
    struct itimerspec spec = {{0, 0}, {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) == 0 ? 0 : errno;
}

void reactive_fill_standard_streams(void) {
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
        int opened = open("/dev/null", O_RDWR);
        // Another thread may have opened a descriptor with that number first.
        if (opened > 2) close(opened);
    }
}
