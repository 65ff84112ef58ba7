// SPDX-License-Identifier: MIT
// The part of a lock that needs the kernel. The lock's word is 0 if the lock is free, 1 if it is held, and 2 if it is
// held and threads may wait.
#pragma once
#include <stdint.h>

// Waits while the word at `address` is `value`. May return spuriously.
void reactive_lock_wait(const void *_Nonnull address, uint32_t value);
// Wakes one thread that waits for the word at `address`. The word may have been freed.
void reactive_lock_wake(const void *_Nonnull address);
