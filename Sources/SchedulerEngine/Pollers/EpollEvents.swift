// SPDX-License-Identifier: MIT
import CReactive

/// The events that one wait on an epoll set has returned.
///
/// Safe: this value owns the memory, which has room for ``capacity`` events. It reads only events that the last wait
/// has written.
@safe
struct EpollEvents: ~Copyable {
    /// The maximum number of events of one wait. It is small, so that the data of these events is still in the
    /// processor's cache when the loop handles the events.
    private static let capacity = 128
    private let memory: UnsafeMutableRawPointer

    init() {
        unsafe memory = .allocate(byteCount: Self.capacity * reactive_epoll_event_size(), alignment: 16)
    }

    deinit { unsafe memory.deallocate() }

    /// Waits on an epoll set. If `milliseconds` is less than 0, there is no time limit. Returns the number of events,
    /// or a negated error number.
    borrowing func wait(_ epoll: Int32, milliseconds: Int32) -> Int32 {
        unsafe reactive_epoll_wait(epoll, memory, Int32(Self.capacity), milliseconds)
    }

    /// The token of an event and its readiness. `index` must be less than the result of ``wait(_:milliseconds:)``.
    @inline(__always)
    borrowing func event(_ index: Int32) -> (token: UInt64, ready: UInt32) {
        var ready: UInt32 = 0
        let token = unsafe reactive_epoll_event(memory, index, &ready)
        return (token, ready)
    }
}
