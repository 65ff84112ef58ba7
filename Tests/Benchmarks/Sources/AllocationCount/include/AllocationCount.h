#pragma once
#include <stdint.h>

/// Begins and ends counting what malloc and its kin are asked for, on every thread.
void allocation_count_start(void);
uint64_t allocation_count_stop(void);
