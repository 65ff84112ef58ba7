// What a census asks: memory that malloc has given out, and whose malloc that is; processor time. Swift's Glibc leaves some
// of it out, and hides the rest from modules that import Dispatch.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes that were given out and have not come back; 0 under a sanitizer, which has a malloc of its own.
size_t reactive_heap_in_use(void);

// Whether ThreadSanitizer or AddressSanitizer is in this process.
bool reactive_is_sanitized(void);

// The processor time that the calling thread has used.
int64_t reactive_thread_time_ns(void);

// Lets the calling thread rest.
void reactive_pause_ns(int64_t nanoseconds);
