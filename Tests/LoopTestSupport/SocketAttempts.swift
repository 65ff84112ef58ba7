// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance

/// Calls that begin work on a loop, with their names. Each throws immediately if the loop refuses all calls.
package func socketAttempts(on loop: any LoopScheduler) -> [(name: String, call: () throws -> Void)] {
    let address = ownLoopback()
    return [
        ("a listener", { _ = try Listener(on: address, loop: loop) }),
        ("an adopting listener", { _ = try Listener(adopting: -1, loop: loop) }),
        ("a server", { _ = try Server(on: address, loops: LoopGroup(loop)) { _ in .empty } }),
        ("a datagram socket", { _ = try DatagramSocket(on: address, loop: loop) }),
        ("a connected datagram socket", { _ = try DatagramSocket(to: address, loop: loop) }),
        ("a child", { _ = try ChildProcess("/bin/true", loop: loop) }),
        ("an adopting connection", { _ = try Connection(adopting: -1, loop: loop) }),
        ("a connect", { try end(of: Connection.connect(to: address, loop: loop)) }),
        ("a connect by name", { try end(of: Connection.connect(toHost: "a.test", port: 1, loop: loop)) }),
        ("a look-up", { try end(of: Resolver.system.addresses(of: "a.test", port: 1, loop: loop)) }),
    ]
}

/// Subscribes, and throws the failure if the signal has failed when `subscribe` returns.
private func end<Value>(of signal: Signal<Value, SocketError>) throws {
    if let failure = signal.log().failure { throw failure }
}
