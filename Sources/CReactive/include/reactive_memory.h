// SPDX-License-Identifier: MIT
// memmem and a search from the end, which Swift's Glibc lacks.
#pragma once
#include <stddef.h>

// The first occurrence of `needle` in `memory`, or null. The time is linear in both lengths for all bytes.
void *_Nullable reactive_find(const void *_Nonnull memory, size_t length, const void *_Nullable needle, size_t size);

// The last occurrence of `needle` in `memory`, or null. An empty needle occurs nowhere. The time is linear in `length` if few bytes equal
// the needle's last one, and at most the product of both lengths.
void *_Nullable reactive_find_last(const void *_Nonnull memory, size_t length, const void *_Nonnull needle, size_t size);
