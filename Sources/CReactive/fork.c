#define _GNU_SOURCE
#include "include/reactive_fork.h"
#include "signal_table.h"
#include <pthread.h>

uint32_t reactive_forks;

static void forked(void) {
    reactive_forks++;
    reactive_signals_forked();
}

// At program start: a fork that comes before the first loop counts too.
__attribute__((constructor)) static void watch_forks(void) {
    pthread_atfork(reactive_signals_lock, reactive_signals_unlock, forked);
}
