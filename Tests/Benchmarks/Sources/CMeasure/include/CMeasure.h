// SPDX-License-Identifier: MIT
// Functions of libc that Swift cannot call: clocks in one call, the memory of malloc, and the allocation counter if it is loaded.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Nanoseconds of the monotonic clock.
uint64_t measure_now(void);
/// Nanoseconds of CPU that the process has used, user and system.
uint64_t measure_cpu(void);
/// Bytes that are allocated with malloc and not freed.
uint64_t measure_live(void);
/// Calls of malloc and related functions so far; UINT64_MAX if the counter (C/mcount.c) is not loaded.
uint64_t measure_allocations(void);
/// Pins the calling thread, and the threads that it creates later, to one CPU.
bool measure_pin(int cpu);
/// Starts counting instructions under callgrind. Does nothing without valgrind.
void measure_begin_instructions(void);
/// Stops counting, and writes the count under this name.
void measure_end_instructions(const char *name);
/// Writes the text to standard error.
void measure_complain(const char *text);
