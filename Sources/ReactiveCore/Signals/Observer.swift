/// The receiver of a signal's values and its termination.
///
/// The source sends any number of values, then at most one termination, then nothing (law 1). Calls never overlap (law 2), but
/// successive calls may come from different threads.
public protocol Observer<Value, Failure>: Sendable {
    /// The type of the signal's values.
    associatedtype Value: Sendable
    /// The type of the signal's failure; `Never` if it cannot fail.
    associatedtype Failure: Error

    /// Receives the next value.
    func receive(_ value: Value)

    /// Receives the termination. The subscription has been disposed when this is called (law 6).
    func receive(termination: Termination<Failure>)
}
