/// A variable of an operator, shared by its closures; it belongs to whoever delivers (law 2).
@usableFromInline
final class Cell<Value> {
    @safe @exclusivity(unchecked)
    @usableFromInline
    var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
}
