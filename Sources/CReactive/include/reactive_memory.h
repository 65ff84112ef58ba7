// memmem, which Swift's Glibc leaves out, and a hint that Swift has no word for.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Where `needle` begins in `memory` for the first time, or null. Linear in both lengths, whatever the bytes are.
void *_Nullable reactive_find(const void *_Nonnull memory, size_t length, const void *_Nullable needle, size_t size);

// Requests the cache line at `address` without waiting. Any number is safe: an address that is not mapped is ignored.
static inline void reactive_prefetch(uintptr_t address) { __builtin_prefetch((const void *)address); }
