// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Stops a server and its loops, and expects that nothing is left.
func stop(_ server: Server, file: StaticString = #fileID, line: UInt = #line) throws {
    let isOver = Latch()
    server.stop().subscribe(onTermination: { _ in isOver.arrive() })
    try isOver.wait()
    for loop in server.loops.loops { try loop.expectNothingLeft(file: file, line: line) }
    server.loops.dispose()
    // A copy of a descriptor may keep its socket open for a moment (`make copies`).
    try waitUntil("close of every socket") { OpenSockets.count(on: server.localAddress) == 0 }
}
