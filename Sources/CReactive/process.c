// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_process.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// These numbers are the same on every architecture, since Linux 5.1. A libc that is older than the kernel does not
// define them.
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define REACTIVE_P_PIDFD 3

int reactive_spawn(
    const char *program, char *const *arguments, char *const *environment, const char *folder, const int *streams,
    bool inherits, int32_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (code) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (!code) code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!code) code = posix_spawnattr_setsigmask(&attributes, &none);
    if (!code) code = posix_spawnattr_setsigdefault(&attributes, &all);
    for (int stream = 0; stream < 3 && !code; stream++)
        if (streams[stream] >= 0) code = posix_spawn_file_actions_adddup2(&actions, streams[stream], stream);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (!code && !inherits) code = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    if (!code && folder) code = posix_spawn_file_actions_addchdir_np(&actions, folder);
    pid_t child;
    if (!code) code = posix_spawnp(&child, program, &actions, &attributes, arguments, environment ? environment : environ);
    if (!code) *pid = child;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

// pidfd_open always sets close-on-exec.
int reactive_pidfd_open(int32_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int reactive_pidfd_send(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) == 0 ? 0 : errno;
}

int reactive_pidfd_reap(int pidfd, bool wait, bool *signalled, int32_t *status) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    // waitid does not wait for a nonblocking pidfd, and libuv makes the pidfds that it watches nonblocking.
    struct pollfd ended = {pidfd, POLLIN, 0};
    while (wait && poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
    while (waitid((idtype_t)REACTIVE_P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) != 0) {
        if (errno == EAGAIN) return 0;
        if (errno != EINTR) return -errno;
    }
    if (info.si_pid == 0) return 0;
    *signalled = info.si_code != CLD_EXITED;
    *status = info.si_status;
    return 1;
}
