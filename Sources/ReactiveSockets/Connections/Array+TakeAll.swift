// SPDX-License-Identifier: MIT

extension Array {
    /// Removes and returns all elements.
    @inline(__always)
    mutating func takeAll() -> [Element] {
        defer { self = [] }
        return self
    }
}
