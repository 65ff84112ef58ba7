// SPDX-License-Identifier: MIT
/// A variable that an operator's closures share. It belongs to the thread that is delivering (law 2).
@usableFromInline
final class Cell<Value> {
    @safe @exclusivity(unchecked)
    @usableFromInline
    var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
}
