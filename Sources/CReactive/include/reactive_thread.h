// Thread-locals, thread identity, and the main queue's two entry points.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The scheduler whose work is running on this thread, or NULL.
extern __thread void *_Nullable reactive_current;
static inline void *_Nullable reactive_current_get(void) { return reactive_current; }
static inline void reactive_current_set(void *_Nullable p) { reactive_current = p; }

// A thread's own object, given back to `destroy` when the thread ends. One for the process: the sockets' read buffer.
void *_Nullable reactive_slab_get(void);
void reactive_slab_set(void *_Nullable p, void (*_Nonnull destroy)(void *_Nullable));

bool reactive_is_main_thread(void);
int64_t reactive_monotonic_ns(void);

// The dispatch main queue, found by name at run time so that nothing links libdispatch for it.
bool reactive_has_main_queue(void);
// The handle is an eventfd, which the first call opens: libdispatch ends the process where it gets none, or -1 where this libdispatch has none to give.
int reactive_main_queue_handle(void);
// Drains what is queued on the main queue. Main thread only, after the handle's 8 bytes have been read.
void reactive_main_queue_drain(void);

// A number that no other living thread has.
static inline uintptr_t reactive_thread_id(void) { return (uintptr_t)&reactive_current; }

// At most 15 bytes are kept.
void reactive_thread_set_name(const char *_Nonnull name);
