// What Swift cannot ask of libc: clocks in one call, what malloc holds, and the allocation counter where one is loaded.
#pragma once
#include <stdbool.h>
#include <stdint.h>

/// Nanoseconds of the monotonic clock.
uint64_t measure_now(void);
/// Nanoseconds of CPU that the process has used, user and system.
uint64_t measure_cpu(void);
/// Bytes that malloc has given out and not got back.
uint64_t measure_live(void);
/// Calls of malloc and its kin so far; UINT64_MAX where the counter (C/mcount.c) is not loaded.
uint64_t measure_allocations(void);
/// Binds the calling thread, and those it makes from now on, to one CPU.
bool measure_pin(int cpu);
/// From here to the end callgrind counts; without valgrind nothing happens.
void measure_begin_instructions(void);
/// Ends it, and writes the count under this name.
void measure_end_instructions(const char *name);
/// Writes the text to standard error.
void measure_complain(const char *text);
