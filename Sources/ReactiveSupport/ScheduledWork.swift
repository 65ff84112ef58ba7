import ReactiveCore

/// Work with a handle: run once, or disposed before that.
package final class ScheduledWork: Disposable {
    private let work: OnceCell<@Sendable () -> Void>

    package init(_ work: @escaping @Sendable () -> Void) {
        self.work = OnceCell(work)
    }

    package var isDisposed: Bool { work.isTaken }

    package func dispose() { _ = work.take() }

    package func run() { work.take()?() }
}
