// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "reactive_tasks.h"
#include "reactive_thread.h"

#include <dlfcn.h>
#include <stddef.h>

// The hook of the concurrency library for its global executor (swift/Runtime/Concurrency.h). It receives the function
// that it replaces.
#define SWIFT __attribute__((swiftcall))
typedef SWIFT void (*Enqueue)(void *job);
typedef SWIFT void (*EnqueueHook)(void *job, Enqueue original);

static void (*report)(void);
static EnqueueHook previous;

static SWIFT void enqueue(void *job, Enqueue original) {
    if (reactive_simulated_get() != NULL && report != NULL) report();
    if (previous != NULL) previous(job, original); else original(job);
}

int reactive_watch_global_executor(void (*escaped)(void)) {
    EnqueueHook *hook = dlsym(RTLD_DEFAULT, "swift_task_enqueueGlobal_hook");
    if (hook == NULL) return 0;
    report = escaped;
    if (*hook != enqueue) {
        previous = *hook;
        *hook = enqueue;
    }
    return 1;
}
