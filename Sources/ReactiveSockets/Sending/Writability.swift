// SPDX-License-Identifier: MIT
import ReactiveSignals
import ReactiveSupport

/// The property behind `isWritable`, created on first use.
///
/// The connection releases the property when it ends. Otherwise an observer that retains the connection would keep it
/// in memory forever.
final class Writability: Sendable {
    private let current = Lock<Property<Bool>?>(nil)

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
        let property = current.withLock { current in
            if let current { return current }
            let level = readLevel()
            let made = Property(level != Level.full)
            if level != Level.ended { current = made }
            return made
        }
        return property.readOnly
    }

    /// Sets the property. Call it on the loop.
    func set(_ isWritable: Bool) {
        let property = current.withLock { current in current }
        property?.value = isWritable
    }

    /// Sets the property to true, and releases it. Call it on the loop when the connection has ended.
    func end() {
        let last = current.withLock { current in current.take() }
        if last?.value == false { last?.value = true }
    }
}
