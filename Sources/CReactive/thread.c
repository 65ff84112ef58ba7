// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_thread.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread void *reactive_current;
__thread void *reactive_simulated;
__thread int reactive_kernel_number;

static pthread_key_t slab_key;
static pthread_once_t slab_once = PTHREAD_ONCE_INIT;
static __thread void *slab;
static void (*slab_destroy)(void *);

static void slab_gone(void *p) {
    // A later destructor of this thread may use the slot again.
    slab = NULL;
    void (*destroy)(void *) = __atomic_load_n(&slab_destroy, __ATOMIC_ACQUIRE);
    if (destroy && p) destroy(p);
}
static void slab_make_key(void) { pthread_key_create(&slab_key, slab_gone); }
void *reactive_slab_get(void) { return slab; }
void reactive_slab_set(void *p, void (*destroy)(void *)) {
    // All threads store the same value, so simultaneous stores are harmless.
    __atomic_store_n(&slab_destroy, destroy, __ATOMIC_RELEASE);
    pthread_once(&slab_once, slab_make_key);
    slab = p;
    pthread_setspecific(slab_key, p);
}

int reactive_find_kernel_number(void) { return reactive_kernel_number = (int)syscall(SYS_gettid); }

bool reactive_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

void reactive_thread_set_name(const char *name) { pthread_setname_np(pthread_self(), name); }

int64_t reactive_monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

bool reactive_has_main_queue(void) {
    return dlsym(RTLD_DEFAULT, "_dispatch_get_main_queue_handle_4CF")
        && dlsym(RTLD_DEFAULT, "_dispatch_main_queue_callback_4CF");
}

int reactive_main_queue_handle(void) {
    if (!reactive_has_main_queue()) return -1;
    return ((int (*)(void))dlsym(RTLD_DEFAULT, "_dispatch_get_main_queue_handle_4CF"))();
}

void reactive_main_queue_drain(void) {
    static void (*drain)(void *);
    if (!drain) drain = (void (*)(void *))dlsym(RTLD_DEFAULT, "_dispatch_main_queue_callback_4CF");
    drain(NULL);
}
