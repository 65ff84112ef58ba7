// memmem, which Swift's Glibc leaves out, and a hint that Swift has no word for.
#pragma once
#include <stddef.h>

// Where `needle` begins in `memory` for the first time, or null. Linear in both lengths, whatever the bytes are.
void *_Nullable reactive_find(const void *_Nonnull memory, size_t length, const void *_Nullable needle, size_t size);

// Asks for the memory's cache line, and waits for nothing. Any address will do: one that is nobody's is not looked at.
static inline void reactive_prefetch(const void *_Nullable address) { __builtin_prefetch(address); }
