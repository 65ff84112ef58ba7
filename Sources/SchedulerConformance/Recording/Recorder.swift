// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Records values from any thread, in the order of their arrival.
package final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Lock<[Value]>([])
    private let birth: Birth?

    package init(file: StaticString = #fileID, line: Int = #line) { birth = Birth.of("a recorder", file, line) }

    package func append(_ value: Value) { recorded.withLock { recorded in recorded.append(value) } }

    package var values: [Value] { recorded.withLock { recorded in recorded } }

    package var count: Int { recorded.withLock { recorded in recorded.count } }

    package func clear() {
        let old = recorded.withLock { recorded in
            let old = recorded
            recorded = []
            return old
        }
        _ = old
    }
}

extension Recorder<UInt64> {
    /// The number of turns from the first recorded turn to the last.
    var span: UInt64 { (values.last ?? 0) - (values.first ?? 0) }
}
