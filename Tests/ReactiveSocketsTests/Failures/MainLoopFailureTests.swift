// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// A main loop that could not be created. The limit of descriptors and the main loops belong to the process, so each
/// test has a process of its own.
@Suite struct MainLoopFailureTests {
    @Test("Sockets, children and look-ups on a main loop that could not be created fail with the reason")
    func reason() async {
        await #expect(processExitsWith: .success) {
            for kind in LoopKind.all {
                let main = kind.mainWithoutDescriptors
                try #require(main.isDisposed)
                let address = ownLoopback()
                let attempts: [(String, () throws -> Void)] = [
                    ("a listener", { _ = try Listener(on: address, loop: main) }),
                    ("an adopting listener", { _ = try Listener(adopting: -1, loop: main) }),
                    ("a server", { _ = try Server(on: address, loops: LoopGroup(main)) { _ in .empty } }),
                    ("a datagram socket", { _ = try DatagramSocket(on: address, loop: main) }),
                    ("a connected datagram socket", { _ = try DatagramSocket(to: address, loop: main) }),
                    ("a child", { _ = try ChildProcess("/bin/true", loop: main) }),
                    ("an adopting connection", { _ = try Connection(adopting: -1, loop: main) }),
                    ("a connect", { try end(of: Connection.connect(to: address, loop: main)) }),
                    ("a connect by name", { try end(of: Connection.connect(toHost: "a.test", port: 1, loop: main)) }),
                    ("a look-up", { try end(of: Resolver.system.addresses(of: "a.test", port: 1, loop: main)) }),
                ]
                for (what, attempt) in attempts {
                    let error = #expect(throws: SocketError.self, "\(what) on \(kind)") { try attempt() }
                    let message = error?.message ?? "no error"
                    let isReason = error?.code == .outOfDescriptors && error?.errno == EMFILE
                    #expect(isReason && message.contains("main could not be"), "\(what) on \(kind): \(message)")
                }
            }
        }
    }

    @Test("A main loop that could not be created refuses each call with the reason, from any thread")
    func loopCalls() async {
        await #expect(processExitsWith: .success) {
            for kind in LoopKind.all {
                let main = kind.mainWithoutDescriptors
                try TestThread {
                    let attempts: [() throws -> Void] = [
                        { try main.run() }, { try main.runUntilIdle() }, { try main.runOnce(waiting: true) },
                        { _ = try main.watch(0, for: .read) { _ in } }, { _ = try main.onSignal(.user1) {} },
                    ]
                    for (number, attempt) in attempts.enumerated() {
                        let error = #expect(throws: LoopError.self) { try attempt() }
                        let message = error?.message ?? "no error"
                        let isReason = error?.code == .systemCall && error?.errno == EMFILE
                        #expect(isReason, "call \(number) on \(kind): \(message)")
                    }
                }.join()
            }
        }
    }
}

/// Subscribes, and throws the failure if the signal has failed when `subscribe` returns.
private func end<Value>(of signal: Signal<Value, SocketError>) throws {
    if case .failed(let error)? = signal.log().ends.first { throw error }
}
