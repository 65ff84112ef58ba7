// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD that keeps each descriptor open for HOLD_MS (10) milliseconds after its close. A child
// process that is being started has the same effect: it has a copy of all descriptors, so a closed socket still
// occupies its address and its peer is not notified. In a normal run this happens about once in a thousand runs, with
// this library nearly every time. At most 64 copies exist at a time. A close that does not call the C library's
// close(), as in libuv, is not affected.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The maximum number of copies at a time. Each copy has its own stack, and exits long before its stack is reused.
enum { most = 64, stacks = 1024, size = 16384 };
static char memory[stacks][size] __attribute__((aligned(64)));
static atomic_uint made;
static atomic_int alive;
static atomic_uint held;
static struct timespec hold = {0, 10000000};

// The process of a copy. It shares the program's memory, so it costs little. It only waits.
static int holder(void *unused) {
    (void)unused;
    syscall(SYS_nanosleep, &hold, NULL);
    syscall(SYS_exit_group, 0);
    return 0;
}

// No signal reports that a copy has exited. Only __WCLONE waits for copies, so the program still waits for its own
// children.
static void *bury(void *unused) {
    (void)unused;
    for (;;) {
        int status;
        if (waitpid(-1, &status, __WCLONE) > 0) atomic_fetch_sub(&alive, 1);
        else usleep(1000);
    }
    return NULL;
}

static void hold_copies(void) {
    if (atomic_fetch_add(&alive, 1) < most) {
        char *stack = memory[atomic_fetch_add(&made, 1) % stacks] + size;
        if (clone(holder, stack, CLONE_VM | CLONE_UNTRACED, NULL) >= 0) {
            atomic_fetch_add(&held, 1);
            return;
        }
    }
    atomic_fetch_sub(&alive, 1);
}

int close(int descriptor) {
    // The standard streams are not sockets, so they are not copied.
    if (descriptor > 2) hold_copies();
    return (int)syscall(SYS_close, descriptor);
}

__attribute__((constructor)) static void start(void) {
    // The library affects this program, not the programs that it starts.
    unsetenv("LD_PRELOAD");
    const char *given = getenv("HOLD_MS");
    if (given) {
        long milliseconds = atol(given);
        if (milliseconds < 1) {
            fprintf(stderr, "copies: HOLD_MS=%s is not allowed: it is milliseconds, 1 or more\n", given);
            _exit(1);
        }
        hold = (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000};
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, bury, NULL) == 0) pthread_detach(thread);
}

__attribute__((destructor)) static void end(void) {
    // A run without any copy has tested nothing.
    if (atomic_load(&held) == 0) {
        fprintf(stderr, "copies: nothing was held\n");
        _exit(1);
    }
}
