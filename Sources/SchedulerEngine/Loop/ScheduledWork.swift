import ReactiveCore
import ReactiveSupport

/// Work with a handle: run once, or disposed before that.
final class ScheduledWork: Disposable {
    private let work: OnceCell<@Sendable () -> Void>

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = OnceCell(work)
    }

    var isDisposed: Bool { work.isTaken }

    func dispose() { _ = work.take() }

    func run() { work.take()?() }
}
