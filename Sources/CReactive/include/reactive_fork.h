// SPDX-License-Identifier: MIT
// Support for forked children.
#pragma once
#include <stdint.h>

// The number of forks between the program's start and this process. Only a fork's child changes it, before any other thread
// exists there, so it is read without synchronization.
extern uint32_t reactive_forks;
static inline uint32_t reactive_fork_generation(void) { return reactive_forks; }

// Makes each later fork take the lock with this word while it copies the process. So the child finds the lock free and its
// state consistent. The word must exist until the process ends. At most eight words; more abort. No thread may take one of
// these locks while it holds another.
void reactive_hold_across_forks(const void *_Nonnull word);
