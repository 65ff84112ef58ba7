// SPDX-License-Identifier: MIT
import Glibc

/// Hides the types of the runs from the optimiser.
@inline(never)
@_optimize(none)
func kinds() -> [any Kinds] { [SmallKinds(), WideKinds()] }

/// Creates the calls with types that only the run time knows.
@inline(never)
@_optimize(none)
func calls<K: Kinds>(_: K) -> [Call] {
    Picture<K.Letter, K.Number, K.Failure>.all.map(\.call)
        + OperatorCase<K.Number, K.Failure>.all.flatMap(\.calls)
        + Rest<K.Letter, K.Number, K.Failure>().calls
}

var count = 0
var failures = 0
for kind in kinds() {
    for call in calls(kind) {
        // If a call traps, the last line names it.
        print("\(type(of: kind)) \(call.name)")
        fflush(nil)
        let (received, expected) = try await call.run()
        count += 1
        if received == expected { continue }
        failures += 1
        print("  expected  \(expected.joined(separator: ", "))\n  received  \(received.joined(separator: ", "))")
    }
}
print("\(count) calls of operators that are not specialised, \(failures) failures")
exit(failures == 0 ? 0 : 1)
