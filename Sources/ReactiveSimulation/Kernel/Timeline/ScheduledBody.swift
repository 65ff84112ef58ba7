// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A closure that the network calls at an instant, unless it is disposed before.
final class ScheduledBody: Disposable {
    private let body: OnceCell<@Sendable () -> Void>

    init(_ body: @escaping @Sendable () -> Void) { self.body = OnceCell(body) }

    var isDisposed: Bool { body.isTaken }

    func dispose() { _ = body.take() }

    /// Calls the closure. Call it without a lock.
    func perform() { body.take()?() }
}
