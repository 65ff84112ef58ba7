import ReactiveSignals
import ReactiveSupport

/// What `isWritable` shows: a property made when somebody first asks, and over with the connection, so that an observer that
/// holds the connection does not hold it for good.
final class Writability: Sendable {
    private struct State {
        var property: Property<Bool>?
        var isWritable = true
        var isOver = false
    }

    private let state = Lock(State())

    /// What a connection says of itself, for whoever comes to ask.
    enum Level {
        static let writable: UInt8 = 0
        static let full: UInt8 = 1
        static let ended: UInt8 = 2
    }

    /// The property as it is now; after the end one that is over, and true. Any thread.
    ///
    /// What the connection says is read under the lock: what it says later, it sets later.
    func property(_ told: () -> UInt8) -> ReadOnlyProperty<Bool> {
        let property = state.withLock { state in
            if state.property == nil {
                let told = told()
                state.isWritable = told != Level.full
                state.isOver = told == Level.ended
            }
            let property = state.property ?? Property(state.isWritable)
            if !state.isOver { state.property = property }
            return property
        }
        return property.readOnly
    }

    /// On the loop.
    func set(_ isWritable: Bool) {
        let property = state.withLock { state in
            state.isWritable = isWritable
            return state.property
        }
        property?.value = isWritable
    }

    /// On the loop, when the connection has ended: true for the last time, and no more.
    func end() {
        let last = state.withLock { state in
            state.isOver = true
            state.isWritable = true
            return state.property.take()
        }
        if last?.value == false { last?.value = true }
    }
}
