// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

/// Starts and stops counting the allocations on every thread.
void allocation_count_start(void);
uint64_t allocation_count_stop(void);
