// SPDX-License-Identifier: MIT
import Testing

/// All tests that open sockets. They run one at a time, because they inspect the descriptors of the process.
@Suite(.serialized)
enum Sockets {}
