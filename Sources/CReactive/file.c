// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_file.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/sendfile.h>
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

int reactive_open_beneath(int root, const char *path, bool follows) {
    struct how how = {FLAGS, 0, BENEATH | NO_MAGICLINKS | (follows ? 0 : NO_SYMLINKS)};
    // EAGAIN means that something was renamed at the same time, so the kernel could not be sure about "..".
    for (int attempts = 0;;) {
        long fd = syscall(SYS_openat2, root, path, &how, sizeof how);
        if (fd >= 0) return (int)fd;
        if (errno != EINTR && (errno != EAGAIN || ++attempts == 16)) return -errno;
    }
}

int reactive_open_component(int parent, const char *name, bool folder) {
    int flags = O_NOFOLLOW | (folder ? O_PATH | O_DIRECTORY | O_CLOEXEC : FLAGS);
    for (;;) {
        int fd = openat(parent, name, flags);
        if (fd >= 0) return fd;
        if (errno != EINTR) return -errno;
    }
}

// sendfile has no MSG_NOSIGNAL. So this thread blocks SIGPIPE during the call, and takes the signal if the call has
// raised it. A call that has sent a part before the peer left raises it too.
ptrdiff_t reactive_sendfile(int socket, int file, int64_t offset, size_t count) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    off64_t position = offset;
    ptrdiff_t result = sendfile64(socket, file, &position, count);
    int code = errno;
    if (!sigismember(&before, SIGPIPE)) {
        if (result < (ptrdiff_t)count && !sigpending(&pending) && sigismember(&pending, SIGPIPE)) {
            sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    errno = code;
    return result;
}
