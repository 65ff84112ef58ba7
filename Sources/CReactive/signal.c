#define _GNU_SOURCE
#include "include/reactive_signal.h"
#include "include/reactive_poll.h"
#include <errno.h>
#include <string.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#define SLOTS 256
// A slot is free at signal 0. The handler reads slots without a lock, so a slot's eventfd is set before its signal, and
// a remover waits until no handler is under way before the eventfd may be closed.
static struct {
    atomic_int signal;
    atomic_int eventfd;
} slots[SLOTS];
static atomic_int under_way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous[NSIG];
static int listeners[NSIG];

static void arrived(int signal) {
    int saved = errno;
    atomic_fetch_add(&under_way, 1);
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].signal) == signal) reactive_eventfd_signal(atomic_load(&slots[i].eventfd));
    atomic_fetch_sub(&under_way, 1);
    errno = saved;
}

int reactive_signal_add(int signal, int eventfd) {
    if (signal < 1 || signal >= NSIG || signal == SIGKILL || signal == SIGSTOP) return EINVAL;
    int result = 0, slot = 0;
    pthread_mutex_lock(&lock);
    while (slot < SLOTS && atomic_load(&slots[slot].signal) != 0) slot++;
    if (slot == SLOTS) result = EMFILE;
    if (!result) {
        atomic_store(&slots[slot].eventfd, eventfd);
        atomic_store(&slots[slot].signal, signal);
        if (listeners[signal] == 0) {
            struct sigaction action;
            memset(&action, 0, sizeof action);
            action.sa_handler = arrived;
            action.sa_flags = SA_RESTART;
            sigfillset(&action.sa_mask);
            if (sigaction(signal, &action, &previous[signal]) != 0) {
                result = errno;
                atomic_store(&slots[slot].signal, 0);
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
        if (atomic_load(&slots[i].signal) != signal || atomic_load(&slots[i].eventfd) != eventfd) continue;
        if (--listeners[signal] == 0) sigaction(signal, &previous[signal], NULL);
        atomic_store(&slots[i].signal, 0);
        break;
    }
    pthread_mutex_unlock(&lock);
    while (atomic_load(&under_way) != 0) sched_yield();
}
