// SPDX-License-Identifier: MIT
import Glibc

/// The process signals that a thread blocks.
///
/// Safe: the calls receive a local variable and keep no pointer.
package enum SignalMask {
    /// Unblocks all process signals on this thread.
    ///
    /// A child inherits the mask of the thread that starts it. Tests run on threads of libdispatch, which block most
    /// signals, including `SIGALRM`.
    package static func clear() {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}
