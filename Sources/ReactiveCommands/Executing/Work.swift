// SPDX-License-Identifier: MIT
public import ReactiveSignals

/// The work that a command does with its input.
@usableFromInline
enum Work<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
    case function(@Sendable (Input) throws(Failure) -> Output)
    case signal(@Sendable (Input) -> Signal<Output, Failure>)
    /// Reads a state. Returns the work for it, or `nil` if the state does not allow any.
    case stateful(@Sendable () -> Work?)

    /// Returns the work for `input`, or `nil` if the state does not allow it. The state is read now; the work is called
    /// after admission.
    @inlinable
    func bound(to input: Input) -> (@Sendable () -> Signal<Output, Failure>)? {
        switch self {
        case .function(let function):
            { Signal(trying: { () throws(Failure) -> Output in try function(input) }) }
        case .signal(let make):
            { make(input) }
        case .stateful(let look):
            look()?.bound(to: input)
        }
    }

    /// Returns work that is called with the values that `capture` returns when an execution is submitted.
    func propagating(_ capture: @escaping @Sendable () -> PropagatedContext) -> Work {
        switch self {
        case .function, .signal:
            .stateful {
                let context = capture()
                return wrapping { signal in .carrying(context) { signal } }
            }
        case .stateful(let look):
            .stateful { look()?.propagating(capture) }
        }
    }

    /// Returns work whose signal is the result of `wrap`.
    func wrapping(_ wrap: @escaping @Sendable (Signal<Output, Failure>) -> Signal<Output, Failure>) -> Work {
        switch self {
        case .function, .signal:
            .signal { input in
                // Only work that depends on a state may refuse.
                guard let work = bound(to: input) else { return .empty }
                return wrap(.deferred(work))
            }
        case .stateful(let look):
            .stateful { look()?.wrapping(wrap) }
        }
    }

    func contramap<New: Sendable>(_ transform: @escaping @Sendable (New) -> Input) -> Work<New, Output, Failure> {
        switch self {
        case .function(let function):
            .function { (input: New) throws(Failure) -> Output in try function(transform(input)) }
        case .signal(let make):
            .signal { make(transform($0)) }
        case .stateful(let look):
            .stateful { look()?.contramap(transform) }
        }
    }
}
