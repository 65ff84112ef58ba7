// SPDX-License-Identifier: MIT
// The number of bytes that are allocated with malloc and not freed. 0 under a sanitizer, which replaces malloc.
#pragma once
#include <stddef.h>
size_t heap_bytes_in_use(void);
