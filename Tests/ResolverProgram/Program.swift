// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport

/// Tests of the resolver that need a process of their own: `ResolverProgram <scenario> <kind>`. Prints `ok` at the end.
@main
enum Program {
    static func main() throws {
        #if CAres
            let arguments = CommandLine.arguments
            let scenarios = [
                "threads": manyLookUps, "descriptors": lookUpsWithoutDescriptors, "watches": lookUpWithoutWatch,
            ]
            guard arguments.count == 3, let scenario = scenarios[arguments[1]],
                let kind = LoopKind(rawValue: arguments[2])
            else {
                print("usage: ResolverProgram \(scenarios.keys.sorted()) \(LoopKind.all.map(\.rawValue))")
                exit(64)
            }
            if let failure = try scenario(kind) {
                print(failure)
                exit(1)
            }
        #endif
        print("ok")
    }
}
