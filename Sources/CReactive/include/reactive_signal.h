// POSIX signals, passed on to eventfds. Safe against a handler that runs on another thread while a listener is removed. A fork
// starts its child with the dispositions that were there before the first listener.
#pragma once
#include <stdint.h>

// Every arrival of `signal` writes to `eventfd` until it is removed. The first listener of a signal installs the handler.
// Returns 0 or an errno: EINVAL where there is no such signal or it cannot be caught, EMFILE where 256 listeners exist.
int reactive_signal_add(int signal, int eventfd);
// The last listener's removal brings back the disposition that was there before. On return no handler uses `eventfd`.
void reactive_signal_remove(int signal, int eventfd);
