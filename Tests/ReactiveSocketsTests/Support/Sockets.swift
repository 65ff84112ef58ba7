// SPDX-License-Identifier: MIT
import Testing

/// All tests that open sockets. They run in parallel, so each counts only descriptors at its own addresses.
@Suite
enum Sockets {}
