// SPDX-License-Identifier: MIT
// For a census: the memory that malloc has given out, and processor time. Swift's Glibc lacks some of these, and hides the
// rest from modules that import Dispatch.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The bytes that malloc has given out and that have not been freed; 0 under a sanitizer, which has its own malloc.
// Before glibc 2.33, which counts in 32 bits, the number wraps.
size_t reactive_heap_in_use(void);

// Whether ThreadSanitizer or AddressSanitizer is in this process.
bool reactive_is_sanitized(void);

// The processor time that the calling thread has used.
int64_t reactive_thread_time_ns(void);

// Makes the calling thread sleep. A signal may end the sleep early.
void reactive_pause_ns(int64_t nanoseconds);
