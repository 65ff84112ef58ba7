// What a census asks: how much memory malloc has given out, which Swift's Glibc leaves out, and whose malloc that is.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// Bytes that were given out and have not come back; 0 under a sanitizer, which has a malloc of its own.
size_t reactive_heap_in_use(void);

// Whether ThreadSanitizer or AddressSanitizer is in this process.
bool reactive_is_sanitized(void);
