// SPDX-License-Identifier: MIT
// Passes POSIX signals on to eventfds. A listener may be removed while a handler runs on another thread. A forked child
// starts with the dispositions from before the first listener.
#pragma once
#include <stdint.h>

// Makes every arrival of `signal` write to `eventfd` until the listener is removed. The first listener of a signal
// installs the handler. Returns 0 or an errno: EINVAL if there is no such signal or it cannot be caught, EMFILE if 256
// listeners exist.
int reactive_signal_add(int signal, int eventfd);
// Removes a listener. Removing the last listener of a signal restores the previous disposition. After the return no
// handler uses `eventfd`.
void reactive_signal_remove(int signal, int eventfd);
