// Child processes: posix_spawn with what it takes, and pidfds, which Swift's Glibc leaves out.
// No system header is included here: see reactive_poll.h.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Starts `program`, looked up in PATH where it has no slash, with default dispositions for all signals and none blocked.
// `arguments` and `environment` end with NULL; an `environment` of NULL is this process's. `folder` may be NULL.
// `streams` are what it gets as 0, 1 and 2: descriptors above 2, or -1 for those of this process. Unless it `inherits`, it gets no
// other descriptor (with glibc 2.34 or later). Returns 0 or an errno.
int reactive_spawn(
    const char *_Nonnull program, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nullable environment,
    const char *_Nullable folder, const int *_Nonnull streams, bool inherits, int32_t *_Nonnull pid);

// A descriptor that is readable when the process has ended, not inherited by others; or -1 with errno.
int reactive_pidfd_open(int32_t pid);
// 0 or an errno.
int reactive_pidfd_send(int pidfd, int signal);
// Takes the status of a child that has ended, waiting for that if `wait` is true. 1: `status` is its exit code, or the
// number of the signal that ended it where `signalled`. 0: it runs still. Less: minus an errno.
int reactive_pidfd_reap(int pidfd, bool wait, bool *_Nonnull signalled, int32_t *_Nonnull status);
