// SPDX-License-Identifier: MIT
#pragma once

// Calls `escaped` when code of a simulated process gives a task to the global executor. Returns 0 if the concurrency
// library has no hook for that. Later calls replace the function.
int reactive_watch_global_executor(void (*_Nonnull escaped)(void));
