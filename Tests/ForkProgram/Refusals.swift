// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance

/// In a child, sockets, children and look-ups on the parent's loop fail, and the error names the parent.
func refusedSockets(_ kind: LoopKind) throws {
    let (loop, other) = (try kind.make(), try kind.make())
    // The parent makes the same calls first, so that the child uses no type for the first time.
    other.dispose()
    let number = unrefused(other, "has been disposed")
    try expect(number == 0, "call \(number) on a disposed loop was not refused")
    let end = ForkedChild { unrefused(loop, "belongs to the parent process") }.wait()
    try expect(end == .exited(0), "the child \(end) (the code is the number of a call that was not refused)")
    loop.dispose()
}

/// Returns 0, or the number of the first call that does not fail with `loop` and this reason.
private func unrefused(_ loop: any LoopScheduler, _ reason: String) -> Int32 {
    let address = ownLoopback()
    let attempts: [() throws -> Void] = [
        { _ = try Listener(on: address, loop: loop) },
        { _ = try DatagramSocket(on: address, loop: loop) },
        { _ = try ChildProcess("/bin/true", loop: loop) },
        { _ = try Connection(adopting: -1, loop: loop) },
        { try end(of: Connection.connect(to: address, loop: loop)) },
        { try end(of: Resolver.system.addresses(of: "a.test", port: 1, loop: loop)) },
    ]
    for (index, attempt) in attempts.enumerated() {
        do {
            try attempt()
            return Int32(index + 1)
        } catch {
            guard let error = error as? SocketError, error.code == .loop, error.message.contains(reason) else {
                return Int32(index + 1)
            }
        }
    }
    return 0
}

/// Subscribes, and throws the failure if the signal has failed when `subscribe` returns.
private func end<Value>(of signal: Signal<Value, SocketError>) throws {
    if case .failed(let error)? = signal.log().ends.first { throw error }
}
