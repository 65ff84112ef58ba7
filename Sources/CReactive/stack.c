// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_stack.h"
#include "stack_parts.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAS_UNWINDER 1
#else
#define HAS_UNWINDER 0
#endif

// A signal that is ignored by default, and that few programs use.
#define CAPTURE SIGURG
#define FRAMES 256
// The room that the unwinder needs on an alternate signal stack, in bytes. It uses about 3 KB.
#define ROOM 6144

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *frames[FRAMES];
// The number of frames. The handler stores it last, and the caller loads it before it reads the frames. ThreadSanitizer
// does not know sem_clockwait, so the semaphore alone would not tell it that the frames have been handed over.
static atomic_int count;
static sem_t captured;

// The thread whose stack is wanted, or 0. The handler takes the request, so a late signal finds none and does not write
// into `frames` while the caller reads them.
static atomic_int wanted;

// The handler stays installed, because the program may install its own at any time, and a restored one would replace
// it. The program's handler is in the current slot. A slot is not changed while it is current.
static struct sigaction handlers[2];
static atomic_int current;

int reactive_stack_thread(void) { return (int)syscall(SYS_gettid); }

#if HAS_UNWINDER
// The code of the unwinder. Its tables do not describe its last instructions, which replace the stack pointer.
static uintptr_t unwinder_begin, unwinder_end;

static void pass_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction *own = &handlers[atomic_load(&current)];
    if (own->sa_flags & SA_SIGINFO) return own->sa_sigaction(signal, info, context);
    if (own->sa_handler != SIG_DFL && own->sa_handler != SIG_IGN) own->sa_handler(signal);
}

// The instruction that the signal has interrupted, or 0 on an unknown processor.
static uintptr_t interrupted(const void *context) {
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    return 0;
#endif
}

// Whether the thread can call the unwinder. If not, only the interrupted function is reported.
static bool can_unwind(uintptr_t address) {
    if (address >= unwinder_begin && address < unwinder_end) return false;
    stack_t stack;
    if (sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_ONSTACK)) return true;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), begin = (uintptr_t)stack.ss_sp;
    return here < begin || here - begin >= ROOM;
}

static void arrived(int signal, siginfo_t *info, void *context) {
    int saved = errno, own = reactive_stack_thread();
    bool is_capture = info->si_code == SI_QUEUE && info->si_pid == getpid() && info->si_value.sival_ptr == &wanted;
    if (!is_capture) {
        pass_on(signal, info, context);
    } else if (atomic_compare_exchange_strong(&wanted, &own, 0)) {
        uintptr_t address = interrupted(context);
        int found = can_unwind(address) ? backtrace(frames, FRAMES) : 0;
        if (found <= 0 && address != 0) {
            // The other addresses are those after a call.
            frames[0] = (void *)(address + 1);
            found = 1;
        }
        atomic_store(&count, found);
        sem_post(&captured);
    }
    errno = saved;
}

// Finds the code of the module that contains an address.
static int find_code(struct dl_phdr_info *info, size_t size, void *data) {
    uintptr_t address = (uintptr_t)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        if (address < begin || address - begin >= segment->p_memsz) continue;
        unwinder_begin = begin;
        unwinder_end = begin + segment->p_memsz;
        return 1;
    }
    return 0;
}

static void prepare_once(void) {
    // The first call loads the unwinder, which allocates memory. A handler must not do that.
    void *frame[1];
    backtrace(frame, 1);
    sem_init(&captured, 0, 0);
    // The first call of a function runs the linker, which needs more stack than the handler may have.
    errno = 0;
    can_unwind(0);
    getpid();
    sem_post(&captured);
    sem_wait(&captured);
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void *function = library ? dlsym(library, "_Unwind_Backtrace") : NULL;
    if (function) dl_iterate_phdr(find_code, function);
    reactive_symbols_prepare();
}

void reactive_stack_prepare(void) {
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

static bool is_own(const struct sigaction *action) {
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == arrived;
}

static void remember(const struct sigaction *action) {
    if (is_own(action)) return;
    int next = 1 - atomic_load(&current);
    handlers[next] = *action;
    atomic_store(&current, next);
}

// Installs the handler, unless it is installed. Returns 0 or the error.
static int install(void) {
    struct sigaction action = {.sa_sigaction = arrived, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, found;
    sigemptyset(&action.sa_mask);
    if (sigaction(CAPTURE, NULL, &found) != 0) return errno;
    if (is_own(&found)) return 0;
    remember(&found);
    if (sigaction(CAPTURE, &action, &found) != 0) return errno;
    // The program may have installed another one since the first call.
    remember(&found);
    return 0;
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
    int result = -install();
    if (result != 0) return result;
    atomic_store(&wanted, thread);
    siginfo_t info = {0};
    info.si_signo = CAPTURE;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    // Distinguishes the signal from those of the program.
    info.si_value.sival_ptr = &wanted;
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, CAPTURE, &info) != 0) {
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
    if (result != 0) return result;
    int end = atomic_load(&count), first = end > OWN_FRAMES ? OWN_FRAMES : 0;
    for (int i = first; i < end && result < capacity; i++) addresses[result++] = frames[i];
    return result;
}

int reactive_stack_capture(int thread, void **addresses, int capacity, int64_t limit_ns) {
    reactive_stack_prepare();
    pthread_mutex_lock(&lock);
    int result = request(thread, addresses, capacity, limit_ns);
    pthread_mutex_unlock(&lock);
    return result;
}

void reactive_stack_forked(void) {
    // A thread of the parent may have been in the middle of a capture.
    pthread_mutex_init(&lock, NULL);
    sem_init(&captured, 0, 0);
    atomic_store(&wanted, 0);
}
#else
void reactive_stack_prepare(void) { reactive_symbols_prepare(); }
bool reactive_stack_permit(bool permits) { return permits; }
int reactive_stack_capture(int thread, void **addresses, int capacity, int64_t limit_ns) { return -ENOSYS; }
void reactive_stack_forked(void) {}
#endif
