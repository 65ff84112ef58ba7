// SPDX-License-Identifier: MIT
import Foundation
import LoopTestSupport
import ReactiveCore
import SchedulerEngine

/// In a process started without standard streams, no descriptor of the loop gets their numbers.
func withoutStandardStreams(_ kind: LoopKind) throws {
    let output = fcntl(1, F_DUPFD, 10)
    for descriptor in Int32(0)...2 { close(descriptor) }
    let loop = try kind.make()
    loop.schedule(after: .milliseconds(1)) {}
    try loop.runUntilIdle()
    let areNull = (Int32(0)...2).allSatisfy { descriptor in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == "/dev/null"
    }
    loop.dispose()
    dup2(output, 1)
    check(areNull)
}
