// SPDX-License-Identifier: MIT
import ReactiveCore

/// A disposable that calls a closure once (law 5) and then releases the closure.
package final class ActionDisposable: Disposable {
    private let action: OnceCell<@Sendable () -> Void>

    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = OnceCell(action)
    }

    package var isDisposed: Bool { action.isTaken }

    package func dispose() {
        action.take()?()
    }
}
