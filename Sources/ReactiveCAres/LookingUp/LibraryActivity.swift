// SPDX-License-Identifier: MIT
#if CAres
    /// Whether c-ares is active, which forbids to destroy a channel. Only the loop uses it.
    final class LibraryActivity {
        var isInLibrary = false
        /// Whether the loop has been disposed while c-ares was active.
        var isAbandoned = false
    }
#endif
