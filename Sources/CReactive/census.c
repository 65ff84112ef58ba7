// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_census.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

size_t reactive_heap_in_use(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    // malloc maps large blocks individually, and counts them separately.
    return info.uordblks + info.hblkhd;
#else
    // The fields of this structure are of type int, and wrap at 4 GiB as unsigned numbers.
    struct mallinfo info = mallinfo();
    return (size_t)(unsigned)info.uordblks + (unsigned)info.hblkhd;
#endif
}

bool reactive_is_sanitized(void) {
    return dlsym(RTLD_DEFAULT, "__tsan_init") != NULL || dlsym(RTLD_DEFAULT, "__asan_init") != NULL;
}

bool reactive_is_thread_sanitized(void) { return dlsym(RTLD_DEFAULT, "__tsan_init") != NULL; }

static int64_t used(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t reactive_process_time_ns(void) { return used(CLOCK_PROCESS_CPUTIME_ID); }

int64_t reactive_thread_time_ns(void) { return used(CLOCK_THREAD_CPUTIME_ID); }

static int64_t waits(int who) {
    struct rusage usage;
    return getrusage(who, &usage) == 0 ? usage.ru_nvcsw : 0;
}

int64_t reactive_thread_waits(void) { return waits(RUSAGE_THREAD); }

int64_t reactive_process_waits(void) { return waits(RUSAGE_SELF); }

bool reactive_open_terminal(int *near, int *far) {
    enum { FLAGS = O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC };
    char path[64];
    *far = posix_openpt(FLAGS);
    if (*far < 0) return false;
    *near = -1;
    if (!grantpt(*far) && !unlockpt(*far) && !ptsname_r(*far, path, sizeof path)) *near = open(path, FLAGS);
    if (*near < 0) close(*far);
    return *near >= 0;
}

void reactive_pause_ns(int64_t nanoseconds) {
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    nanosleep(&time, NULL);
}
