// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CMeasure.h"
#include <dlfcn.h>
#include <malloc.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t measure_now(void) { return read_clock(CLOCK_MONOTONIC); }
uint64_t measure_cpu(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t measure_live(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

uint64_t measure_allocations(void) {
    static uint64_t (*count)(void);
    static bool asked;
    if (!asked) {
        count = (uint64_t (*)(void))dlsym(RTLD_DEFAULT, "mcount_calls");
        asked = true;
    }
    return count ? count() : UINT64_MAX;
}

bool measure_pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

void measure_begin_instructions(void) {
#ifdef CALLGRIND_START_INSTRUMENTATION
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
#endif
}

void measure_end_instructions(const char *name) {
#ifdef CALLGRIND_STOP_INSTRUMENTATION
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
#else
    (void)name;
#endif
}

void measure_complain(const char *text) { fputs(text, stderr); }
