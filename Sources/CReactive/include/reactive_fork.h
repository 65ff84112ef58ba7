// SPDX-License-Identifier: MIT
// Support for forked children.
#pragma once
#include <stdint.h>

// The number of forks between the program's start and this process. Only the child of a fork changes it, before any
// other thread exists in the child. So it is read without synchronization.
extern uint32_t reactive_forks;
static inline uint32_t reactive_fork_generation(void) { return reactive_forks; }

// Makes each later fork take the lock with this word while the process is copied. So in the child the lock is free and
// its state is consistent. The word must exist until the process ends. There may be at most eight words; a ninth aborts
// the process. No thread may take one of these locks while it holds another.
void reactive_hold_across_forks(const void *_Nonnull word);
