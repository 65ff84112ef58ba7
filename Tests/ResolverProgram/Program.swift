// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport

/// Tests of the resolver that need a process of their own: `ResolverProgram threads|descriptors <kind>`. Prints `ok` at
/// the end.
@main
enum Program {
    static func main() throws {
        #if CAres
            let arguments = CommandLine.arguments
            guard arguments.count == 3, let kind = LoopKind(rawValue: arguments[2]),
                ["threads", "descriptors"].contains(arguments[1])
            else {
                print("usage: ResolverProgram threads|descriptors \(LoopKind.all.map(\.rawValue))")
                exit(64)
            }
            let failure = try arguments[1] == "threads" ? manyLookUps(kind) : lookUpsWithoutDescriptors(kind)
            if let failure {
                print(failure)
                exit(1)
            }
        #endif
        print("ok")
    }
}
