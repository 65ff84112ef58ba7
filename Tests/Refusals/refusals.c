// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/refusals.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static atomic_uint refused_calls;
static atomic_int refused_with;
static atomic_bool refuses_libraries;
static atomic_long passes_left, refusals_left, refusals_made;

void refuse(uint32_t calls, int error, long after, long count) {
    atomic_store(&refused_calls, 0);
    atomic_store(&refused_with, error);
    atomic_store(&passes_left, after);
    atomic_store(&refusals_left, count);
    atomic_store(&refusals_made, 0);
    atomic_store(&refused_calls, calls);
}

void refuse_nothing(void) {
    atomic_store(&refused_calls, 0);
    atomic_store(&refuses_libraries, false);
}

void refuse_libraries_too(void) { atomic_store(&refuses_libraries, true); }

long refusals(void) { return atomic_load(&refusals_made); }

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
bool refusals_are_possible(void) { return false; }
#else
bool refusals_are_possible(void) { return true; }

// These libraries end the process if they get no descriptor for themselves, and libdispatch also if it cannot register one. Each
// loop checks beforehand whether that is possible. A refusal between this check and the library's own call would simulate a race of
// microseconds, so it is not made.
static bool ends_process(const void *caller, bool is_registering) {
    Dl_info info;
    if (atomic_load(&refuses_libraries)) return false;
    if (!dladdr(caller, &info) || !info.dli_fname) return false;
    if (strstr(info.dli_fname, "libdispatch")) return true;
    return !is_registering && (strstr(info.dli_fname, "libuv") || strstr(info.dli_fname, "libevent"));
}

static int refused_to(uint32_t call, const void *caller) {
    const uint32_t own = REFUSABLE_EPOLL_CREATE | REFUSABLE_EVENTFD | REFUSABLE_TIMERFD | REFUSABLE_PIPE | REFUSABLE_SOCKETPAIR;
    if (!(atomic_load(&refused_calls) & call)) return 0;
    if (call & (own | REFUSABLE_EPOLL_ADD) && ends_process(caller, call == REFUSABLE_EPOLL_ADD)) return 0;
    if (atomic_fetch_sub(&passes_left, 1) > 0) return 0;
    if (atomic_fetch_sub(&refusals_left, 1) <= 0) return 0;
    atomic_fetch_add(&refusals_made, 1);
    return atomic_load(&refused_with);
}

#define refused(call) refused_to(call, __builtin_return_address(0))

#define REFUSE(call)                                                                                                       \
    do {                                                                                                                   \
        int error = refused(call);                                                                                         \
        if (error) {                                                                                                       \
            errno = error;                                                                                                 \
            return -1;                                                                                                     \
        }                                                                                                                  \
    } while (0)

int epoll_create1(int flags) {
    REFUSE(REFUSABLE_EPOLL_CREATE);
    return (int)syscall(SYS_epoll_create1, flags);
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
    int result = (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
    if (operation != EPOLL_CTL_ADD || result != 0) return result;
    // The kernel needs memory only for a descriptor that it can add.
    int error = refused(REFUSABLE_EPOLL_ADD);
    if (!error) return 0;
    syscall(SYS_epoll_ctl, epoll, EPOLL_CTL_DEL, fd, event);
    errno = error;
    return -1;
}

int eventfd(unsigned int value, int flags) {
    REFUSE(REFUSABLE_EVENTFD);
    return (int)syscall(SYS_eventfd2, value, flags);
}

int timerfd_create(clockid_t clock, int flags) {
    REFUSE(REFUSABLE_TIMERFD);
    return (int)syscall(SYS_timerfd_create, clock, flags);
}

int pipe2(int ends[2], int flags) {
    REFUSE(REFUSABLE_PIPE);
    return (int)syscall(SYS_pipe2, ends, flags);
}

int pipe(int ends[2]) { return pipe2(ends, 0); }

int socketpair(int domain, int type, int protocol, int ends[2]) {
    REFUSE(REFUSABLE_SOCKETPAIR);
    return (int)syscall(SYS_socketpair, domain, type, protocol, ends);
}

int socket(int domain, int type, int protocol) {
    REFUSE(REFUSABLE_SOCKET);
    return (int)syscall(SYS_socket, domain, type, protocol);
}

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags) {
    REFUSE(REFUSABLE_ACCEPT);
    return (int)syscall(SYS_accept4, fd, address, length, flags);
}

int bind(int fd, const struct sockaddr *address, socklen_t length) {
    REFUSE(REFUSABLE_BIND);
    return (int)syscall(SYS_bind, fd, address, length);
}

int listen(int fd, int backlog) {
    REFUSE(REFUSABLE_LISTEN);
    return (int)syscall(SYS_listen, fd, backlog);
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    REFUSE(REFUSABLE_CONNECT);
    return (int)syscall(SYS_connect, fd, address, length);
}

ssize_t sendto(int fd, const void *bytes, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
    REFUSE(REFUSABLE_SEND);
    return syscall(SYS_sendto, fd, bytes, size, flags, address, length);
}

ssize_t send(int fd, const void *bytes, size_t size, int flags) { return sendto(fd, bytes, size, flags, NULL, 0); }

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    REFUSE(REFUSABLE_SEND);
    return syscall(SYS_sendmsg, fd, message, flags);
}

ssize_t recvfrom(int fd, void *bytes, size_t size, int flags, struct sockaddr *address, socklen_t *length) {
    REFUSE(REFUSABLE_RECEIVE);
    return syscall(SYS_recvfrom, fd, bytes, size, flags, address, length);
}

ssize_t recv(int fd, void *bytes, size_t size, int flags) { return recvfrom(fd, bytes, size, flags, NULL, NULL); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *context) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) real = dlsym(RTLD_NEXT, "pthread_create");
    int error = refused(REFUSABLE_THREAD);
    return error ? error : real(thread, attributes, body, context);
}

int posix_spawnp(
    pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const arguments[], char *const environment[]) {
    static int (*real)(
        pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[], char *const[]);
    if (!real) real = dlsym(RTLD_NEXT, "posix_spawnp");
    int error = refused(REFUSABLE_SPAWN);
    return error ? error : real(pid, file, actions, attributes, arguments, environment);
}
#endif

int plain_connect(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (syscall(SYS_connect, fd, &address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

int plain_echo(uint16_t port, int milliseconds) {
    int fd = plain_connect(port);
    if (fd < 0) return errno;
    char bytes[4] = "ping";
    size_t got = 0;
    int result = 0;
    if (syscall(SYS_sendto, fd, bytes, sizeof bytes, MSG_NOSIGNAL, NULL, 0) != sizeof bytes) result = errno;
    while (!result && got < sizeof bytes) {
        struct pollfd ready = {fd, POLLIN, 0};
        if (poll(&ready, 1, milliseconds) != 1) {
            result = ETIMEDOUT;
            break;
        }
        ssize_t count = syscall(SYS_recvfrom, fd, bytes + got, sizeof bytes - got, 0, NULL, NULL);
        if (count > 0) got += (size_t)count; else result = count == 0 ? ECONNRESET : errno;
    }
    close(fd);
    return result;
}

long plain_cpu_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000l + time.tv_nsec / 1000;
}
