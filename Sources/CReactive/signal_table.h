// SPDX-License-Identifier: MIT
// How a fork treats the table of process signals. Only fork.c uses it.
#pragma once

// Call it before a fork, so that no thread is in the middle of a change while the process is copied.
void reactive_signals_lock(void);
// Call it after the fork in the parent.
void reactive_signals_unlock(void);
// Call it after the fork in the child. The handlers belong to the parent, so this removes them and restores the
// previous dispositions.
void reactive_signals_forked(void);
