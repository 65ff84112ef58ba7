// SPDX-License-Identifier: MIT
// Files for servers: openat2 and sendfile, which Swift's Glibc lacks. This header includes no system header: see
// reactive_poll.h.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Opens a folder in which other files are opened. Needs no permission to read it. Returns a close-on-exec descriptor, or
// -errno.
int reactive_open_folder(const char *_Nonnull path);

// Opens `path`, relative to the folder `root`: a regular file for reading, and everything else with O_PATH. The path, its
// symbolic links and `..` cannot leave the folder (RESOLVE_BENEATH). If `follows` is false, the path may contain no symbolic
// link. Opening never waits for a writer of a FIFO. Returns a close-on-exec descriptor, or -errno: -ENOSYS if the system has
// no openat2.
int reactive_open_beneath(int root, const char *_Nonnull path, bool follows);

// Like openat for one component of a path. The component may be no symbolic link. If `folder` is true, it must be a
// folder.
int reactive_open_component(int parent, const char *_Nonnull name, bool folder);

// Sends at most `count` bytes of `file`, from `offset`, to a socket, and never raises SIGPIPE. Returns the number of bytes,
// 0 at the end of the file, or -1 with errno.
ptrdiff_t reactive_sendfile(int socket, int file, int64_t offset, size_t count);
