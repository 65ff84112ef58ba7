// SPDX-License-Identifier: MIT
// Replaces malloc and related functions for the whole process and its libraries: the definitions of an executable take precedence
// over those of libraries. While not counting, each call costs a load and a branch.
#include "AllocationCount.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static bool counting;
static uint64_t count;

static inline void note(void)
{
    if (__atomic_load_n(&counting, __ATOMIC_RELAXED)) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
}

void allocation_count_start(void)
{
    __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&counting, true, __ATOMIC_SEQ_CST);
}

uint64_t allocation_count_stop(void)
{
    __atomic_store_n(&counting, false, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
    note();
    return __libc_malloc(size);
}

void *calloc(size_t members, size_t size)
{
    note();
    return __libc_calloc(members, size);
}

void *realloc(void *old, size_t size)
{
    note();
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    note();
    void *memory = __libc_memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}
