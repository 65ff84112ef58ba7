/// Who receives a signal's values and its end.
///
/// The source calls: any number of values, then at most one termination, then nothing (law 1). Calls never overlap
/// (law 2), though they may come from different threads, one after the other.
public protocol Observer<Value, Failure>: Sendable {
    /// What the signal carries.
    associatedtype Value: Sendable
    /// Why it may break off; `Never` where it cannot.
    associatedtype Failure: Error

    /// Takes the next value.
    func receive(_ value: Value)

    /// Takes the end. The subscription has been disposed when this is called (law 6).
    func receive(termination: Termination<Failure>)
}
