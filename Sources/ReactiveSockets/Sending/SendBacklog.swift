import ReactiveCore

/// What a connection remembers while bytes wait, or somebody wants to know when they have gone. It goes when it is empty.
final class SendBacklog {
    /// What waits, oldest first.
    var pending = SendQueue()
    /// In the order of their positions.
    private var waiters: [Waiter] = []
    private var sourcePauses: [any Disposable] = []
    /// The first waiter's.
    private(set) var nextPosition = Int.max

    /// Who wants to know when the kernel has everything up to a position.
    struct Waiter {
        let position: Int
        let end: @Sendable (Termination<SocketError>) -> Void
    }

    var isEmpty: Bool { pending.isEmpty && waiters.isEmpty && sourcePauses.isEmpty }

    func add(_ waiter: Waiter) {
        // Nearly always the last; who asks late about an early send comes before.
        let place = waiters.lastIndex { $0.position <= waiter.position }.map { $0 + 1 } ?? 0
        waiters.insert(waiter, at: place)
        nextPosition = waiters[0].position
    }

    /// Those who wait for no more than `sent` bytes.
    func takeWaiters(_ sent: Int = .max) -> [Waiter] {
        let done = Array(waiters.prefix { $0.position <= sent })
        waiters.removeFirst(done.count)
        nextPosition = waiters.first?.position ?? .max
        return done
    }

    func addPause(_ source: any Disposable) { sourcePauses.append(source) }

    func takePauses() -> [any Disposable] {
        defer { sourcePauses = [] }
        return sourcePauses
    }
}
