// SPDX-License-Identifier: MIT
import ReactiveSignals
import ReactiveSupport

/// The property behind `isWritable`, created on first use.
///
/// The connection releases the property when it ends. Otherwise an observer that retains the connection would keep it
/// in memory forever.
final class Writability: Sendable {
    private struct State {
        var property: Property<Bool>?
        var isWritable = true
        var isOver = false
    }

    private let state = Lock(State())

    /// The connection's stored value. The property starts with it.
    enum Level {
        static let writable: UInt8 = 0
        static let full: UInt8 = 1
        static let ended: UInt8 = 2
    }

    /// Returns the property. After the connection has ended, the property is true and never changes. Any thread may
    /// call it.
    ///
    /// The lock is held while `readLevel` reads the stored value. The connection first stores a value and then sets the
    /// property, so no change is lost.
    func property(_ readLevel: () -> UInt8) -> ReadOnlyProperty<Bool> {
        let property = state.withLock { state in
            if state.property == nil {
                let level = readLevel()
                state.isWritable = level != Level.full
                state.isOver = level == Level.ended
            }
            let property = state.property ?? Property(state.isWritable)
            if !state.isOver { state.property = property }
            return property
        }
        return property.readOnly
    }

    /// Sets the property. Call it on the loop.
    func set(_ isWritable: Bool) {
        let property = state.withLock { state in
            state.isWritable = isWritable
            return state.property
        }
        property?.value = isWritable
    }

    /// Sets the property to true, and releases it. Call it on the loop when the connection has ended.
    func end() {
        let last = state.withLock { state in
            state.isOver = true
            state.isWritable = true
            return state.property.take()
        }
        if last?.value == false { last?.value = true }
    }
}
