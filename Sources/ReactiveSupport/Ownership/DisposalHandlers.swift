// SPDX-License-Identifier: MIT
package import ReactiveCore

/// The closures that a loop calls when it is disposed (`LoopScheduler.onDispose`). Any thread may use it.
///
/// It refers to no loop, so a registration retains none.
package final class DisposalHandlers: Sendable {
    private struct State {
        var waiting = IdentityTable<DisposalHandler>()
        /// Whether all closures have been called, so that a later one is called immediately.
        var isOver = false
    }

    private let state = Lock(State())

    package init() {}

    /// Registers a closure. If all others have been called, calls it before this method returns.
    package func add(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let handler = DisposalHandler(self, work)
        let isLate = state.withLock { state in
            if !state.isOver { state.waiting[ObjectIdentifier(handler)] = handler }
            return state.isOver
        }
        if isLate { handler.run() }
        return handler
    }

    /// Calls the registered closures in the order of registration, also those that are registered meanwhile. With `isLast`,
    /// each later one is called immediately. The caller has borrowed nothing.
    package func run(isLast: Bool) {
        while let handlers = takeAll(isLast) { for handler in handlers { handler.run() } }
    }

    private func takeAll(_ isLast: Bool) -> [DisposalHandler]? {
        state.withLock { state in
            let handlers = state.waiting.values
            state.waiting = IdentityTable()
            if handlers.isEmpty, isLast { state.isOver = true }
            return handlers.isEmpty ? nil : handlers
        }
    }

    fileprivate func remove(_ handler: DisposalHandler) {
        _ = state.withLock { state in state.waiting.removeValue(forKey: ObjectIdentifier(handler)) }
    }
}

/// A registration. Its disposal removes the closure, if it has not been called.
private final class DisposalHandler: Disposable, Sendable {
    // Swift would wrap a bare closure again at each access through the lock.
    private struct Contents: Sendable {
        let work: @Sendable () -> Void
    }

    private weak let handlers: DisposalHandlers?
    private let contents: Lock<Contents?>
    private let generation = ForkGeneration.current

    init(_ handlers: DisposalHandlers, _ work: @escaping @Sendable () -> Void) {
        self.handlers = handlers
        contents = Lock(Contents(work: work))
    }

    /// In a forked child, a thread of the parent may hold the locks forever.
    private var isForked: Bool { generation != ForkGeneration.current }

    var isDisposed: Bool { isForked || contents.withLock { contents in contents == nil } }

    func run() { contents.withLock { contents in contents.take() }?.work() }

    func dispose() {
        if isForked { return }
        // The closure is released outside the lock.
        let last = contents.withLock { contents in contents.take() }
        if last != nil { handlers?.remove(self) }
    }
}
