// SPDX-License-Identifier: MIT
// Thread-locals, thread identity, and the main queue's two entry points.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The scheduler whose work runs on this thread, or NULL.
extern __thread void *_Nullable reactive_current;
static inline void *_Nullable reactive_current_get(void) { return reactive_current; }
static inline void reactive_current_set(void *_Nullable p) { reactive_current = p; }

// An object of each thread, passed to `destroy` when the thread ends. The process has one such slot, for the sockets' read
// buffer.
void *_Nullable reactive_slab_get(void);
void reactive_slab_set(void *_Nullable p, void (*_Nonnull destroy)(void *_Nullable));

bool reactive_is_main_thread(void);
int64_t reactive_monotonic_ns(void);

// Whether this process has the dispatch main queue's entry points. They are found by name at run time, so that nothing
// links libdispatch.
bool reactive_has_main_queue(void);
// An eventfd, which the first call opens; libdispatch ends the process if it cannot. -1 if there are no such entry points.
int reactive_main_queue_handle(void);
// Runs what is queued on the main queue. Call it on the main thread, after reading the handle's 8 bytes.
void reactive_main_queue_drain(void);

// A number that no other living thread has.
static inline uintptr_t reactive_thread_id(void) { return (uintptr_t)&reactive_current; }

// Names the calling thread. A name of more than 15 bytes is ignored.
void reactive_thread_set_name(const char *_Nonnull name);
