// SPDX-License-Identifier: MIT
// memmem, which Swift's Glibc lacks.
#pragma once
#include <stddef.h>

// The first occurrence of `needle` in `memory`, or null. The time is linear in both lengths for all bytes.
void *_Nullable reactive_find(const void *_Nonnull memory, size_t length, const void *_Nullable needle, size_t size);
