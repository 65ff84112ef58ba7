// SPDX-License-Identifier: MIT
import Testing

/// All tests that open sockets. Each counts only the descriptors at its own addresses.
@Suite
enum Sockets {}
