// SPDX-License-Identifier: MIT
// memmem and a search from the end, which Swift's Glibc lacks.
#pragma once
#include <stddef.h>

// Returns the first occurrence of `needle` in `memory`, or NULL. The time is always linear in the sum of both lengths.
void *_Nullable reactive_find(const void *_Nonnull memory, size_t length, const void *_Nullable needle, size_t size);

// Returns the last occurrence of `needle` in `memory`, or NULL. An empty needle never occurs. The time is linear in
// `length` if few bytes equal the needle's last byte, and at most the product of both lengths.
void *_Nullable reactive_find_last(const void *_Nonnull memory, size_t length, const void *_Nonnull needle, size_t size);
