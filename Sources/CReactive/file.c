// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_file.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// O_NONBLOCK, because opening a FIFO would wait for a writer. Reads of regular files ignore it.
#define FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

// The structure of openat2(2). Older systems lack linux/openat2.h.
struct how {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};
enum { NO_MAGICLINKS = 0x02, NO_SYMLINKS = 0x04, BENEATH = 0x08 };
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int reactive_open_folder(const char *path) {
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

// Opening a FIFO would wake its writer, and opening a device may have any effect. So files are opened with O_PATH first, and
// only a regular file is opened for reading. Takes ownership of `fd`. Returns UNAVAILABLE if /proc does not allow that: it is
// missing, or it belongs to another user after the process has changed its own.
enum { UNAVAILABLE = -4096 };
static int reopen(int fd) {
    struct stat status;
    int result = fd;
    if (fstat(fd, &status)) {
        result = -errno;
    } else if (S_ISLNK(status.st_mode)) {
        result = -ELOOP;
    } else if (S_ISREG(status.st_mode)) {
        char path[64];
        snprintf(path, sizeof path, "/proc/thread-self/fd/%d", fd);
        do result = open(path, FLAGS);
        while (result < 0 && errno == EINTR);
        if (result < 0) result = errno == ENOENT || errno == EACCES ? UNAVAILABLE : -errno;
    }
    if (result != fd) close(fd);
    return result;
}

static int open_beneath(int root, const char *path, bool follows, uint64_t flags) {
    struct how how = {flags, 0, BENEATH | NO_MAGICLINKS | (follows ? 0 : NO_SYMLINKS)};
    // EAGAIN means that something was renamed at the same time, so the kernel could not be sure about "..".
    for (int attempts = 0;;) {
        long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd >= 0) return (int)fd;
        if (errno != EINTR && (errno != EAGAIN || ++attempts == 16)) return -errno;
    }
}

int reactive_open_beneath(int root, const char *path, bool follows) {
    int fd = open_beneath(root, path, follows, O_PATH | O_CLOEXEC);
    if (fd < 0) return fd;
    int result = reopen(fd);
    // The file was a regular one a moment ago, so this is harmless. The caller checks the status again.
    return result == UNAVAILABLE ? open_beneath(root, path, follows, FLAGS) : result;
}

static int open_component(int parent, const char *name, int flags) {
    for (;;) {
        int fd = openat(parent, name, flags | O_NOFOLLOW);
        if (fd >= 0) return fd;
        if (errno != EINTR) return -errno;
    }
}

int reactive_open_component(int parent, const char *name, bool folder) {
    int fd = open_component(parent, name, O_PATH | O_CLOEXEC | (folder ? O_DIRECTORY : 0));
    if (fd < 0 || folder) return fd;
    int result = reopen(fd);
    return result == UNAVAILABLE ? open_component(parent, name, FLAGS) : result;
}

// sendfile has no MSG_NOSIGNAL. So this thread blocks SIGPIPE during the call, and takes the signal if the call has
// raised it. A call that has sent a part before the peer left raises it too. A signal that waited before stays.
ptrdiff_t reactive_sendfile(int socket, int file, int64_t offset, size_t count) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    // Only a signal that was blocked can wait.
    bool was_blocked = sigismember(&before, SIGPIPE) == 1;
    bool waited = was_blocked && !sigpending(&pending) && sigismember(&pending, SIGPIPE) == 1;
    off64_t position = offset;
    ptrdiff_t result = sendfile64(socket, file, &position, count);
    int code = errno;
    if (!waited && result < (ptrdiff_t)count && !sigpending(&pending) && sigismember(&pending, SIGPIPE) == 1) {
        sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
    }
    if (!was_blocked) pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return result;
}
