// SPDX-License-Identifier: MIT
// Child processes: posix_spawn with its attributes, and pidfds, which Swift's Glibc lacks. This header includes no system
// header: see reactive_poll.h.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Starts `program`, with default dispositions for all signals and none blocked. A name without a slash is looked up in
// PATH. `arguments` and `environment` end with NULL. An `environment` of NULL is that of this process. `folder` may be
// NULL. `streams` become the child's descriptors 0, 1 and 2: each is a descriptor above 2, or -1 for that of this process.
// Unless `inherits`, the child gets no other descriptor (with glibc 2.34 or later). Returns 0 or an errno.
int reactive_spawn(
    const char *_Nonnull program, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nullable environment,
    const char *_Nullable folder, const int *_Nonnull streams, bool inherits, int32_t *_Nonnull pid);

// Returns a close-on-exec descriptor that becomes readable when the process has ended, or -1 with errno.
int reactive_pidfd_open(int32_t pid);
// Sends a signal to the process. Returns 0 or an errno.
int reactive_pidfd_send(int pidfd, int signal);
// Reaps a child that has ended; with `wait`, waits until it has. Returns 1 with the exit code in `status`, or with the
// number of the signal that ended it if `signalled`. Returns 0 if the child still runs, and -errno on failure.
int reactive_pidfd_reap(int pidfd, bool wait, bool *_Nonnull signalled, int32_t *_Nonnull status);
