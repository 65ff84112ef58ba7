// SPDX-License-Identifier: MIT

extension Optional {
    /// Returns the value. If there is none, first stores `made`.
    @inline(__always)
    mutating func orStore(_ made: @autoclosure () -> Wrapped) -> Wrapped {
        if let self { return self }
        let new = made()
        self = new
        return new
    }
}
