// SPDX-License-Identifier: MIT
/// Values by the identity of an object, in the order of insertion. An object must exist until its entry has been removed,
/// so that no other object gets its identity.
///
/// A dictionary with such keys has an order that depends on addresses, so two processes would differ. ``values`` sorts;
/// the other members cost as much as those of a dictionary.
@usableFromInline
package struct IdentityTable<Value> {
    @usableFromInline
    var entries: [ObjectIdentifier: (number: UInt64, value: Value)] = [:]
    @usableFromInline
    var lastNumber: UInt64 = 0

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { entries.count }
    @inlinable
    package var isEmpty: Bool { entries.isEmpty }

    /// The value of an object. A new value for an object keeps the position of the old one.
    @inlinable
    package subscript(key: ObjectIdentifier) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else {
                entries[key] = nil
                return
            }
            // The numbers have gaps, so that one look-up suffices.
            lastNumber += 1
            let added = (number: lastNumber, value: newValue)
            entries[key, default: added].value = newValue
        }
    }

    @inlinable
    package mutating func removeValue(forKey key: ObjectIdentifier) -> Value? {
        entries.removeValue(forKey: key)?.value
    }

    /// All values, in the order of insertion.
    @inlinable
    package var values: [Value] { entries.values.sorted { $0.number < $1.number }.map(\.value) }
}

extension IdentityTable: Sendable where Value: Sendable {}
