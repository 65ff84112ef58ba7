// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_memory.h"
#include <string.h>

void *reactive_find(const void *memory, size_t length, const void *needle, size_t size) {
    return memmem(memory, length, needle, size);
}
