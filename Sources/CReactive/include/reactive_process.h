// SPDX-License-Identifier: MIT
// Child processes: posix_spawn with its attributes, and pidfds, which Swift's Glibc lacks. This header includes no system
// header: see reactive_poll.h.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// Starts `program` with default dispositions for all signals, and with no signal blocked. A name without a slash is
// looked up in PATH. `arguments` and `environment` end with NULL. If `environment` is NULL, the child has the
// environment of this process. `folder` is the child's working directory; NULL means that of this process. `streams`
// become the child's descriptors 0, 1 and 2: each is a descriptor above 2, or -1 for the same descriptor of this
// process. If `inherits` is false, the child receives no other descriptor (with glibc 2.34 or later). Returns 0 or an
// errno.
int reactive_spawn(
    const char *_Nonnull program, char *_Nullable const *_Nonnull arguments, char *_Nullable const *_Nullable environment,
    const char *_Nullable folder, const int *_Nonnull streams, bool inherits, int32_t *_Nonnull pid);

// Returns a close-on-exec descriptor that becomes readable when the process has terminated, or -1 with errno.
int reactive_pidfd_open(int32_t pid);
// Sends a signal to the process. Returns 0 or an errno.
int reactive_pidfd_send(int pidfd, int signal);
// Reaps a child that has terminated. If `wait` is true, first waits until it has terminated. Returns 1 if the child was
// reaped. If `signalled` is false, `status` is then the exit code; otherwise it is the number of the signal that
// terminated the child. Returns 0 if the child still runs, and -errno on failure.
int reactive_pidfd_reap(int pidfd, bool wait, bool *_Nonnull signalled, int32_t *_Nonnull status);
