// SPDX-License-Identifier: MIT
// Shared by the C baselines: clocks, the same random sequence as in Swift, and the memory that malloc holds.
#pragma once
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}
static inline uint64_t now(void) { return read_clock(CLOCK_MONOTONIC); }
static inline uint64_t cpu(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static inline size_t live(void) {
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static uint64_t random_state = 0x9E3779B97F4A7C15ull;
static inline uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static inline void line(const char *row, const char *who, long n, double ns, double cpu_ns, const char *more) {
    printf("{\"row\": \"%s\", \"who\": \"%s\", \"ns\": %.3f, \"cpu_ns\": %.3f, %s\"n\": %ld}\n", row, who, ns, cpu_ns,
           more, n);
    fflush(stdout);
}
