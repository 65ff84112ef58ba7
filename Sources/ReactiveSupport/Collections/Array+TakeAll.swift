// SPDX-License-Identifier: MIT

extension Array {
    /// Removes and returns all elements.
    @inlinable
    @inline(__always)
    package mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}
