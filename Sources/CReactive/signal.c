// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_signal.h"
#include "include/reactive_poll.h"
#include "signal_table.h"
#include <errno.h>
#include <string.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define SLOTS 256
// A slot is one word: the signal in the upper half, its eventfd in the lower half. 0 is a free slot. The handler reads
// slots without a lock, so it must never combine the signal of one listener with the eventfd of another. A remover
// waits until no handler runs. Only then may the eventfd be closed.
static _Atomic uint64_t slots[SLOTS];
static uint64_t slot_of(int signal, int eventfd) { return (uint64_t)signal << 32 | (uint32_t)eventfd; }
static atomic_int under_way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous[NSIG];
static int listeners[NSIG];

// The process whose loops are in the table. A forked child inherits the table, the handlers and the eventfds of its
// parent.
static _Atomic pid_t owner;

// The child itself received the signal. It restores the previous disposition, as if the parent had installed no
// handler. The raised signal is blocked until the handler returns.
static void pass_on(int signal) {
    sigaction(signal, &previous[signal], NULL);
    raise(signal);
}

static void arrived(int signal) {
    int saved = errno;
    if (atomic_load(&owner) != getpid()) {
        pass_on(signal);
        errno = saved;
        return;
    }
    atomic_fetch_add(&under_way, 1);
    for (int i = 0; i < SLOTS; i++) {
        uint64_t slot = atomic_load(&slots[i]);
        if (slot >> 32 == (uint64_t)signal) reactive_eventfd_signal((int)(uint32_t)slot);
    }
    atomic_fetch_sub(&under_way, 1);
    errno = saved;
}

int reactive_signal_add(int signal, int eventfd) {
    if (signal < 1 || signal >= NSIG || signal == SIGKILL || signal == SIGSTOP) return EINVAL;
    int result = 0, slot = 0;
    pthread_mutex_lock(&lock);
    atomic_store(&owner, getpid());
    while (slot < SLOTS && atomic_load(&slots[slot]) != 0) slot++;
    if (slot == SLOTS) result = EMFILE;
    if (!result) {
        atomic_store(&slots[slot], slot_of(signal, eventfd));
        if (listeners[signal] == 0) {
            struct sigaction action;
            memset(&action, 0, sizeof action);
            action.sa_handler = arrived;
            action.sa_flags = SA_RESTART;
            sigfillset(&action.sa_mask);
            if (sigaction(signal, &action, &previous[signal]) != 0) {
                result = errno;
                atomic_store(&slots[slot], 0);
            }
        }
        if (!result) listeners[signal]++;
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void reactive_signal_remove(int signal, int eventfd) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SLOTS; i++) {
        if (atomic_load(&slots[i]) != slot_of(signal, eventfd)) continue;
        if (--listeners[signal] == 0) sigaction(signal, &previous[signal], NULL);
        atomic_store(&slots[i], 0);
        break;
    }
    pthread_mutex_unlock(&lock);
    while (atomic_load(&under_way) != 0) sched_yield();
}

void reactive_signals_lock(void) { pthread_mutex_lock(&lock); }

void reactive_signals_unlock(void) { pthread_mutex_unlock(&lock); }

void reactive_signals_forked(void) {
    for (int signal = 1; signal < NSIG; signal++) {
        if (listeners[signal] > 0) sigaction(signal, &previous[signal], NULL);
        listeners[signal] = 0;
    }
    for (int i = 0; i < SLOTS; i++) atomic_store(&slots[i], 0);
    // A handler that ran on another thread of the parent does not run in the child.
    atomic_store(&under_way, 0);
    atomic_store(&owner, getpid());
    pthread_mutex_unlock(&lock);
}
