// SPDX-License-Identifier: MIT
// The memory that malloc has allocated, processor time, and terminals. Swift's Glibc lacks some of these functions, and
// hides the others from modules that import Dispatch.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The number of bytes that malloc has allocated and that have not been freed. It is 0 under a sanitizer, which has
// another malloc. glibc before 2.33 counts in 32 bits, so there the number wraps.
size_t reactive_heap_in_use(void);

// Whether this process runs under ThreadSanitizer or AddressSanitizer.
bool reactive_is_sanitized(void);

// Whether the program is built with ThreadSanitizer.
bool reactive_is_thread_sanitized(void);

// The processor time that all threads of the process have used, in nanoseconds.
int64_t reactive_process_time_ns(void);

// The processor time that the calling thread has used, in nanoseconds.
int64_t reactive_thread_time_ns(void);

// The number of times that the calling thread has given up its processor in order to wait (getrusage(2), ru_nvcsw).
int64_t reactive_thread_waits(void);

// The same number for all threads of the process together, including those that have ended.
int64_t reactive_process_waits(void);

// Opens a pseudo-terminal that does not become the controlling terminal. Both descriptors are nonblocking and close on
// exec. Bytes written to `far` are the input of `near`. Returns false if the system has no pseudo-terminals.
bool reactive_open_terminal(int *_Nonnull near, int *_Nonnull far);

// Makes the calling thread sleep. A signal may end the sleep early.
void reactive_pause_ns(int64_t nanoseconds);
