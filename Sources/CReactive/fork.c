// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_fork.h"
#include "include/reactive_lock.h"
#include "include/reactive_thread.h"
#include "signal_table.h"
#include "stack_parts.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

uint32_t reactive_forks;

// The words of the locks that a fork takes before it copies the process, in the order in which they were added. NULL
// marks the end.
#define HELD 8
static _Atomic(_Atomic uint32_t *) held[HELD];
// The number of these locks that this thread's fork has taken. Another thread may add one during the fork.
static __thread int taken;

void reactive_hold_across_forks(const void *word) {
    for (int i = 0; i < HELD; i++) {
        _Atomic uint32_t *none = NULL;
        if (atomic_compare_exchange_strong(&held[i], &none, (_Atomic uint32_t *)word)) return;
    }
    abort();
}

static void will_fork(void) {
    for (taken = 0; taken < HELD; taken++) {
        _Atomic uint32_t *word = atomic_load(&held[taken]);
        if (!word) break;
        uint32_t is_free = 0;
        if (atomic_compare_exchange_strong(word, &is_free, 1)) continue;
        while (atomic_exchange(word, 2) != 0) reactive_lock_wait((const void *)word, 2);
    }
    reactive_signals_lock();
    reactive_modules_lock();
}

// Releases the locks. In the child no thread waits for them.
static void release_held(void) {
    while (taken > 0) {
        _Atomic uint32_t *word = atomic_load(&held[--taken]);
        if (atomic_exchange(word, 0) != 1) reactive_lock_wake((const void *)word);
    }
}

static void did_fork(void) {
    reactive_modules_unlock();
    reactive_signals_unlock();
    release_held();
}

static void forked(void) {
    reactive_forks++;
    reactive_kernel_number = 0;
    reactive_modules_unlock();
    reactive_stack_forked();
    reactive_signals_forked();
    release_held();
}

// Runs at program start, so that a fork before the first loop counts too.
__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(will_fork, did_fork, forked);
}
