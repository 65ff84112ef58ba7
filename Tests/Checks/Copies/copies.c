// SPDX-License-Identifier: MIT
// Loaded before a program (LD_PRELOAD), it makes a close happen while another process holds a copy of all descriptors, as
// one does that is being started: for HOLD_MS (10) milliseconds what was closed is open, its address taken, its peer not
// told. That happens by itself once in a thousand runs; with this it happens nearly every time: at most 64 are held at once,
// and what a library closes past the C library's close(), as libuv does, is not.
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

// Copies at a time. Each has a stack of its own, and is gone long before its turn comes again.
enum { most = 64, stacks = 1024, size = 16384 };
static char memory[stacks][size] __attribute__((aligned(64)));
static atomic_uint made;
static atomic_int alive;
static atomic_uint held;
static struct timespec hold = {0, 10000000};

// It shares the program's memory, so that it costs little, and does nothing but wait.
static int holder(void *unused) {
    (void)unused;
    syscall(SYS_nanosleep, &hold, NULL);
    syscall(SYS_exit_group, 0);
    return 0;
}

// No signal says that one ended, and only __WCLONE waits for them: the program's own children are left to it.
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
    // The standard streams are nobody's address.
    if (descriptor > 2) hold_copies();
    return (int)syscall(SYS_close, descriptor);
}

__attribute__((constructor)) static void start(void) {
    // For this program, not for those that it starts.
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
    // A run without any has shown nothing.
    if (atomic_load(&held) == 0) {
        fprintf(stderr, "copies: nothing was held\n");
        _exit(1);
    }
}
