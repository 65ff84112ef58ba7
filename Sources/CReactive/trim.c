// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_trim.h"
#include "include/reactive_fork.h"
#include "include/reactive_thread.h"
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// A trim is due when this many bytes have been freed, and an eighth of the maximum.
#define LEAST (4 << 20)
// The seconds from the first moment when a trim is due until the trim. Peers that leave together then cause few trims.
#define DELAY 3

static _Atomic int64_t held;
// The maximum of `held` since the last trim. It may miss a maximum that two threads reach simultaneously.
static _Atomic int64_t peak;
// Whether a thread waits to trim: 0, or the number of forks before its process, plus one. A forked child has no such thread.
static _Atomic uint64_t waiting;

// A large heap is not searched because of a small part of it.
static bool is_due(int64_t top, int64_t now) { return top - now >= LEAST && top - now >= top / 8; }

// The thread allocates nothing, so it needs no arena of malloc.
static void *trim_later(void *unused) {
    reactive_thread_set_name("trim");
    struct timespec delay = {.tv_sec = DELAY};
    nanosleep(&delay, NULL);
    // Cleared before the sum is read, so that no later fall of the sum is missed.
    atomic_store(&waiting, 0);
    int64_t now = atomic_load(&held);
    // Other peers may have come meanwhile.
    if (!is_due(atomic_load(&peak), now)) return unused;
    atomic_store(&peak, now);
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    return unused;
}

static bool start(void) {
    pthread_attr_t detached;
    if (pthread_attr_init(&detached) != 0) return false;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    // A new thread inherits the signal mask of its creator. It must not receive the program's signals.
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    pthread_t thread;
    int code = pthread_create(&thread, &detached, trim_later, NULL);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    pthread_attr_destroy(&detached);
    return code == 0;
}

__attribute__((noinline)) static void trim_soon(void) {
    // A simulation has no threads of its own, and its memory is that of the test.
    if (reactive_simulated_get()) return;
    uint64_t own = (uint64_t)reactive_fork_generation() + 1, found = atomic_load(&waiting);
    if (found == own || !atomic_compare_exchange_strong(&waiting, &found, own)) return;
    if (!start()) atomic_store(&waiting, 0);
}

void reactive_memory_taken(size_t size) {
    int64_t now = atomic_fetch_add(&held, (int64_t)size) + (int64_t)size;
    if (now > atomic_load_explicit(&peak, memory_order_relaxed)) atomic_store_explicit(&peak, now, memory_order_relaxed);
}

void reactive_memory_freed(size_t size) {
    int64_t now = atomic_fetch_sub(&held, (int64_t)size) - (int64_t)size;
    if (is_due(atomic_load_explicit(&peak, memory_order_relaxed), now)) trim_soon();
}
