// What a fork leaves behind, seen from the child.
#pragma once
#include <stdint.h>

// How often this process has been forked off, counted from the program's start. Only a fork's child changes it, before any
// other thread exists there, so it is read without synchronization.
extern uint32_t reactive_forks;
static inline uint32_t reactive_fork_generation(void) { return reactive_forks; }

// From now on each fork takes the lock with this word while it copies the process, so that the child finds it free and its state whole.
// The word stays for the process's life. At most eight; no thread may want one of them while it holds another.
void reactive_hold_across_forks(const void *_Nonnull word);
