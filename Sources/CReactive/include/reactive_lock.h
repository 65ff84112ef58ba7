// The part of a lock that needs the kernel. The lock's word is 0 when free, 1 when held, 2 when held and waited for.
#pragma once
#include <stdint.h>

// Waits while the word at `address` is `value`; may return for no reason.
void reactive_lock_wait(const void *_Nonnull address, uint32_t value);
// Wakes one thread that waits for the word at `address`, which need not exist any more.
void reactive_lock_wake(const void *_Nonnull address);
