// SPDX-License-Identifier: MIT
// Thread-local storage, thread identity, and the two entry points of the main queue.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The scheduler whose work runs on this thread, or NULL.
extern __thread void *_Nullable reactive_current;
static inline void *_Nullable reactive_current_get(void) { return reactive_current; }
static inline void reactive_current_set(void *_Nullable p) { reactive_current = p; }

// The simulated host whose code runs on this thread, or NULL.
extern __thread void *_Nullable reactive_simulated;
static inline void *_Nullable reactive_simulated_get(void) { return reactive_simulated; }
static inline void reactive_simulated_set(void *_Nullable p) { reactive_simulated = p; }

// An object of each thread. When the thread exits, `destroy` is called with the object. The process has one such slot,
// which the sockets use for their read buffer.
void *_Nullable reactive_slab_get(void);
void reactive_slab_set(void *_Nullable p, void (*_Nonnull destroy)(void *_Nullable));

// The kernel's number of this thread, or 0 if it is not known yet.
extern __thread int reactive_kernel_number;
int reactive_find_kernel_number(void);
// The kernel's number of the calling thread (gettid(2)). Only a thread's first call is a system call.
static inline int reactive_kernel_thread(void) {
    return reactive_kernel_number ? reactive_kernel_number : reactive_find_kernel_number();
}

bool reactive_is_main_thread(void);
int64_t reactive_monotonic_ns(void);

// Whether this process has the entry points of the dispatch main queue. They are looked up by name at run time, so that
// the library need not link libdispatch.
bool reactive_has_main_queue(void);
// Returns an eventfd, which the first call opens, or -1 if there are no such entry points. If no descriptor is free,
// libdispatch ends the process.
int reactive_main_queue_handle(void);
// Runs the blocks that are queued on the main queue. Call it on the main thread, after reading the 8 bytes of the
// handle.
void reactive_main_queue_drain(void);

// A number that no other living thread has.
static inline uintptr_t reactive_thread_id(void) { return (uintptr_t)&reactive_current; }

// Names the calling thread. A name of more than 15 bytes is ignored.
void reactive_thread_set_name(const char *_Nonnull name);
