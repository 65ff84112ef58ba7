// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_memory.h"
#include <string.h>

void *reactive_find(const void *memory, size_t length, const void *needle, size_t size) {
    return memmem(memory, length, needle, size);
}

void *reactive_find_last(const void *memory, size_t length, const void *needle, size_t size) {
    if (size == 0 || size > length) return NULL;
    const unsigned char *base = memory, *wanted = needle;
    // An occurrence ends at the last byte of the needle, at this offset or a later one.
    size_t least = size - 1;
    for (size_t end = length; end > least;) {
        const unsigned char *found = memrchr(base + least, wanted[least], end - least);
        if (found == NULL) return NULL;
        if (memcmp(found - least, wanted, size) == 0) return (void *)(found - least);
        end = (size_t)(found - base);
    }
    return NULL;
}
