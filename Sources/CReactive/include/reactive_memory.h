// memmem, which Swift's Glibc lacks, and a prefetch hint, for which Swift has no function.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The first occurrence of `needle` in `memory`, or null. The time is linear in both lengths for all bytes.
void *_Nullable reactive_find(const void *_Nonnull memory, size_t length, const void *_Nullable needle, size_t size);

// Prefetches the cache line at `address`. Any number is safe: an unmapped address is ignored.
static inline void reactive_prefetch(uintptr_t address) { __builtin_prefetch((const void *)address); }
