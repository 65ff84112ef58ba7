// SPDX-License-Identifier: MIT
/// The policy of ``Signal/observe(on:limit:whenFull:)`` and ``Signal/buffer(_:whenFull:)`` for a value that arrives
/// when the limit is reached.
public enum OverflowPolicy: Sendable, Hashable {
    /// Pauses the source at the limit, and resumes it when at most half of the limit is still queued.
    ///
    /// No value is lost. A source that cannot pause buffers values as its own ``BufferPolicy`` specifies.
    case pauseSource
    /// Drops the oldest queued value, so that the subscriber receives the most recent ones.
    case dropOldest
    /// Drops the value that arrives.
    case dropNewest
}
