// SPDX-License-Identifier: MIT

/// An operation on one key of a store: its interval, and its result if that is known.
struct StoreOperation: Sendable {
    enum Kind: Sendable, Hashable {
        case set(Int)
        case increment
        case get
    }

    let kind: Kind
    /// The number of the step in which it began, and in which its answer arrived. `Int.max` means that none did.
    let begin: Int
    var end = Int.max
    /// The value that the answer contains. `increment` answers with the new value, `get` with the value or nil.
    var answer: Int??

    /// Whether the answer fits a store that contains `value`. Returns the value afterwards.
    func apply(to value: Int?) -> (fits: Bool, value: Int?) {
        switch kind {
        case .set(let new): (true, new)
        case .get: (answer.map { $0 == value } ?? true, value)
        case .increment: (answer.map { $0 == (value ?? 0) + 1 } ?? true, (value ?? 0) + 1)
        }
    }
}

/// Searches for an order of the operations on one key that explains every answer (Wing and Gong 1993).
///
/// An operation whose answer is unknown may have happened at any time after its begin, or not at all.
struct LinearizabilityCheck {
    private let operations: [StoreOperation]
    private var visited: Set<Visit> = []

    private struct Visit: Hashable {
        let done: UInt64
        let value: Int?
    }

    /// Creates a check of at most 64 operations.
    init(_ operations: [StoreOperation]) {
        precondition(operations.count <= 64, "more operations than the search can represent")
        self.operations = operations
    }

    mutating func isLinearizable() -> Bool { search(done: 0, value: nil) }

    private mutating func search(done: UInt64, value: Int?) -> Bool {
        let open = operations.indices.filter { done & 1 << UInt64($0) == 0 }
        if open.allSatisfy({ operations[$0].end == .max }) { return true }
        guard visited.insert(Visit(done: done, value: value)).inserted else { return false }
        // An operation can be next only if no other open one has ended before it began.
        let limit = open.map { operations[$0].end }.min() ?? .max
        for index in open where operations[index].begin <= limit {
            let (fits, next) = operations[index].apply(to: value)
            if fits, search(done: done | 1 << UInt64(index), value: next) { return true }
        }
        return false
    }
}
