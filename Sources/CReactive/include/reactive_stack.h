// SPDX-License-Identifier: MIT
// The stack of another thread of this process, and the names of its functions.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The calling thread's number in the kernel (gettid(2)).
int reactive_stack_thread(void);

// Sets whether the stack of the calling thread can be captured: blocks or unblocks SIGURG, which the capture sends.
// Returns the previous value.
bool reactive_stack_permit(bool permits);

// Loads the unwinder. Other functions call it too, but it waits for threads that load libraries. A caller that must not
// wait later calls it first.
void reactive_stack_prepare(void);

// Stores the return addresses of a thread's stack, innermost first, and returns their number. The thread may be the
// caller. Any thread may call it; simultaneous calls wait for each other.
//
// The thread receives SIGURG, so a sleep or a poll of it returns EINTR. The first call installs a handler, which stays
// and passes other occurrences of the signal on to the program's handler.
//
// Only the current function is stored if the thread is inside the unwinder, or on a small alternate signal stack.
//
// Returns -ESRCH if there is no such thread, -ETIMEDOUT if the thread has not handled the signal within the limit, and
// -ENOSYS if the C library cannot unwind a stack.
int reactive_stack_capture(int thread, void *_Nullable *_Nonnull addresses, int capacity, int64_t limit_ns);

// Describes a return address: module, offset and function, for example "server+0x1a2b serve(_:)". Swift names are
// demangled if the program contains the runtime's demangler. Returns the number of bytes, without the final 0.
size_t reactive_stack_describe(const void *_Nullable address, char *_Nonnull text, size_t capacity);
