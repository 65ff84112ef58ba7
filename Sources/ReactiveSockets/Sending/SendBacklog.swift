// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The waiting bytes of a connection, its paused sources, and the observers of its sends. The connection removes it
/// when it is empty.
final class SendBacklog {
    /// The second parameter: whether something else receives the failure, or reports it.
    typealias SendEnd = @Sendable (Termination<SocketError>, _ isHandledElsewhere: Bool) -> Void

    /// The waiting bytes, oldest first.
    var queue = BytesQueue()
    /// The files behind the bytes of `queue`, oldest first. Each has the bytes that follow it.
    private(set) var files: [WaitingFile] = []
    /// Sorted by position.
    private var waiters: [Waiter] = []
    private var sourcePauses: [any Disposable] = []
    /// The position of the first waiter.
    var nextPosition: Int { waiters.first?.position ?? .max }

    /// A callback for when the kernel has accepted all bytes up to a position.
    struct Waiter {
        let position: Int
        /// The subscription that waits for the termination. `nil` means that the result of a `send(from:)` waits for it,
        /// and that result may have been discarded.
        let subscription: SignalSubscription?
        let end: SendEnd
    }

    var isEmpty: Bool { queue.isEmpty && waiters.isEmpty && sourcePauses.isEmpty }

    /// Appends bytes behind everything that waits.
    @inline(__always)
    func append(_ bytes: Bytes) {
        if files.isEmpty { queue.append(bytes) } else { appendBehindFiles(bytes) }
    }

    @inline(never)
    private func appendBehindFiles(_ bytes: Bytes) { files.last?.following.append(bytes.compacted()) }

    /// Appends a file behind everything that waits.
    func append(_ file: WaitingFile) { files.append(file) }

    /// Removes the first file, which has been sent or read completely. The bytes behind it move to `queue`.
    func dropFirstFile() { queue.append(contentsOf: files.removeFirst().following) }

    /// Drops the waiting bytes and files. The observers keep waiting.
    func dropBytes() {
        queue = BytesQueue()
        files = []
    }

    func add(_ waiter: Waiter) {
        // Usually the position is the largest one. If an observer subscribes late to an early send, it is inserted
        // before others.
        let index = waiters.lastIndex { $0.position <= waiter.position }.map { $0 + 1 } ?? 0
        waiters.insert(waiter, at: index)
    }

    /// Removes and returns the waiters whose position is at most `sent`.
    func takeWaiters(_ sent: Int = .max) -> [Waiter] {
        let done = Array(waiters.prefix { $0.position <= sent })
        waiters.removeFirst(done.count)
        return done
    }

    func addPause(_ source: any Disposable) { sourcePauses.append(source) }

    func takePauses() -> [any Disposable] { sourcePauses.takeAll() }
}
