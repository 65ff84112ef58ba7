// memmem, which Swift's Glibc leaves out.
#pragma once
#include <stddef.h>

// Where `needle` begins in `memory` for the first time, or null. Linear in both lengths, whatever the bytes are.
void *_Nullable reactive_find(const void *_Nonnull memory, size_t length, const void *_Nullable needle, size_t size);
