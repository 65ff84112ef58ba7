// SPDX-License-Identifier: MIT
import ReactiveCore

extension Signal {
    /// Sends each value together with the previous one. Sends nothing for the first value. RxJS calls it `pairwise`.
    @inlinable
    public func combinePrevious() -> Signal<(previous: Value, value: Value), Failure> {
        scanMap(into: Value?.none) { last, value -> (previous: Value, value: Value)? in
            let previous = last
            last = value
            return previous.map { ($0, value) }
        }.skipNil()
    }

    /// Sends each value together with the previous one, and the first value together with `initial`.
    @inlinable
    public func combinePrevious(_ initial: Value) -> Signal<(previous: Value, value: Value), Failure> {
        scanMap(into: initial) { last, value in
            let previous = last
            last = value
            return (previous, value)
        }
    }
}
