// SPDX-License-Identifier: MIT
// Returns memory to the system after it has been freed (Decision 0073).
#pragma once
#include <stddef.h>

// Counts memory that peers make the process hold, in bytes. The sum may be an estimate. Any thread may call it.
void reactive_memory_taken(size_t size);

// Counts such memory as freed, with the same number. If the sum has fallen far enough since the last trim, a thread trims
// the heap (malloc_trim(3)) a few seconds later, and ends. Without a free thread, a later call tries again.
void reactive_memory_freed(size_t size);
