import CReactive

/// The descriptors 0, 1 and 2.
enum StandardStreams {
    /// Opens `/dev/null` where the process was started without one of them.
    ///
    /// Else the loop's own descriptors get these numbers: libuv ends the process when it closes one of them, and what
    /// somebody prints would go to a peer.
    static func fill() { reactive_fill_standard_streams() }
}
