import ReactiveCore

/// What a scheduler that is over hands out: disposed from the start.
package final class DisposedHandle: Disposable {
    package static let shared = DisposedHandle()

    package var isDisposed: Bool { true }

    package func dispose() {}
}
