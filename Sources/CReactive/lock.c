// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "include/reactive_lock.h"
#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void reactive_lock_wait(const void *address, uint32_t value) {
    int saved = errno;
    syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
    errno = saved;
}

void reactive_lock_wake(const void *address) {
    int saved = errno;
    syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}
