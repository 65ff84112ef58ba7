// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Stops a server and its loops, and expects that nothing is left.
func stop(_ server: Server) throws {
    let isOver = Latch()
    server.stop().subscribe(onTermination: { _ in isOver.arrive() })
    try isOver.wait()
    server.loops.dispose()
    // A copy of a descriptor may keep its socket open for a moment (`make copies`).
    try waitUntil("close of every socket") { OpenSockets.count(on: server.localAddress) == 0 }
}
