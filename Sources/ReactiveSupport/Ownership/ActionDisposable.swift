import ReactiveCore

/// A disposable that runs an action, once (law 5), and lets go of it then.
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
