// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_stack.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_UNWINDER 1
#else
#define HAS_UNWINDER 0
#endif

// A signal that is ignored by default. If a thread handles it too late, after the handler was restored, it has no
// effect.
#define CAPTURE SIGURG
#define FRAMES 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static void *frames[FRAMES];
static int count;
static sem_t captured;

// The thread whose stack is wanted, or 0. The handler takes the request, so a late signal finds none and does not write
// into `frames` while the caller reads them.
static atomic_int wanted;

int reactive_stack_thread(void) { return (int)syscall(SYS_gettid); }

#if HAS_UNWINDER
static void pass_on(int signal, siginfo_t *info, void *context) {
    if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(signal, info, context);
    if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) previous.sa_handler(signal);
}

static void arrived(int signal, siginfo_t *info, void *context) {
    int saved = errno, own = reactive_stack_thread();
    if (info->si_code == SI_TKILL && info->si_pid == getpid()
        && atomic_compare_exchange_strong(&wanted, &own, 0)) {
        count = backtrace(frames, FRAMES);
        sem_post(&captured);
    } else {
        pass_on(signal, info, context);
    }
    errno = saved;
}

static void prepare_once(void) {
    // The first call loads the unwinder, which allocates memory. A handler must not do that.
    void *frame[1];
    backtrace(frame, 1);
    sem_init(&captured, 0, 0);
}

static void prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_once);
}

bool reactive_stack_permit(bool permits) {
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, CAPTURE);
    pthread_sigmask(permits ? SIG_UNBLOCK : SIG_BLOCK, &set, &before);
    return !sigismember(&before, CAPTURE);
}

// Returns whether the thread has handled the signal. The clock is the monotonic one, which does not count a suspension
// of the machine.
static bool wait_for_thread(int64_t limit_ns) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int64_t end = limit_ns > INT64_MAX - time.tv_nsec ? INT64_MAX : limit_ns + time.tv_nsec;
    time.tv_sec += end / 1000000000;
    time.tv_nsec = end % 1000000000;
    int code;
    do code = sem_clockwait(&captured, CLOCK_MONOTONIC, &time);
    while (code != 0 && errno == EINTR);
    return code == 0;
}

// The frames of the handler and of the kernel's trampoline are left out.
#define OWN_FRAMES 2

static int request(int thread, void **addresses, int capacity, int64_t limit_ns) {
    struct sigaction action = {.sa_sigaction = arrived, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    if (sigaction(CAPTURE, &action, &previous) != 0) return -errno;
    atomic_store(&wanted, thread);
    int result = 0;
    if (syscall(SYS_tgkill, getpid(), thread, CAPTURE) != 0) {
        result = -errno;
        atomic_store(&wanted, 0);
    } else if (!wait_for_thread(limit_ns)) {
        int expected = thread;
        if (atomic_compare_exchange_strong(&wanted, &expected, 0)) {
            result = -ETIMEDOUT;
        } else {
            // The handler has taken the request at this moment.
            while (sem_wait(&captured) != 0) {}
        }
    }
    sigaction(CAPTURE, &previous, NULL);
    if (result != 0) return result;
    int first = count > OWN_FRAMES ? OWN_FRAMES : 0;
    for (int i = first; i < count && result < capacity; i++) addresses[result++] = frames[i];
    return result;
}

int reactive_stack_capture(int thread, void **addresses, int capacity, int64_t limit_ns) {
    prepare();
    pthread_mutex_lock(&lock);
    int result = request(thread, addresses, capacity, limit_ns);
    pthread_mutex_unlock(&lock);
    return result;
}
#else
bool reactive_stack_permit(bool permits) { return permits; }
int reactive_stack_capture(int thread, void **addresses, int capacity, int64_t limit_ns) { return -ENOSYS; }
#endif
