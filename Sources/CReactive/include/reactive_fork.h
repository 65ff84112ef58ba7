// What a fork leaves behind, seen from the child.
#pragma once
#include <stdint.h>

// How often this process has been forked off, counted from the program's start. Only a fork's child changes it, before any
// other thread exists there, so it is read without synchronization.
extern uint32_t reactive_forks;
static inline uint32_t reactive_fork_generation(void) { return reactive_forks; }
