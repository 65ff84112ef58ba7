// SPDX-License-Identifier: MIT
import CReactive

/// The descriptors of standard input, standard output and standard error: 0, 1 and 2.
enum StandardStreams {
    /// Opens `/dev/null` on each of these descriptors that is closed.
    ///
    /// Otherwise the loop's own descriptors could get these numbers. libuv ends the process when it closes one of these
    /// numbers. Text printed to a standard stream could be sent to a peer.
    static func fill() { reactive_fill_standard_streams() }
}
