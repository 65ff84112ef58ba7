// How a fork treats the table of process signals; used by fork.c only.
#pragma once

// Before a fork: no thread is in the middle of a change while the process is copied.
void reactive_signals_lock(void);
// After it, in the parent.
void reactive_signals_unlock(void);
// After it, in the child: the handlers are the parent's, so they are removed and the previous dispositions restored.
void reactive_signals_forked(void);
