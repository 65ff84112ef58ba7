// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct NonblockingLookUpTests {
        @Test(
            "The first value of a look-up's signal is the answer, on the loop, without repetitions",
            arguments: LoopKind.all
        )
        func answer(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let source = Subject<[SocketAddress], SocketError>()
            let asked = Recorder<String>()
            let resolver = Resolver { host, port, _ in
                asked.append("\(host):\(port)")
                return source.signal
            }
            let elsewhere = Box(0)
            let log = resolver.addresses(of: "web.test", port: 80, loop: loop)
                .map { addresses in
                    if !loop.isCurrent { elsewhere.increment() }
                    return addresses
                }
                .log()
            // The look-up keeps the loop alive, and the value comes from another thread.
            let sender = TestThread {
                source.send([.loopback(port: 80), .loopback(port: 80), .loopback(port: 81)])
                source.send([.loopback(port: 82)])
            }
            try TestThread { try loop.runUntilIdle() }.join("the look-up")
            try sender.join()
            #expect(log.values == [[.loopback(port: 80), .loopback(port: 81)]] && log.isCompleted)
            #expect(elsewhere.value == 0 && asked.values == ["web.test:80"])
        }

        @Test("A look-up's signal that fails, completes or sends no address fails the look-up", arguments: LoopKind.all)
        func failures(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let resolver = Resolver { host, _, _ in
                switch host {
                case "fails": .fail(SocketError(.outOfDescriptors, "no descriptor"))
                case "completes": .empty
                case "sends": .just([])
                default: .never
                }
            }
            for (host, code) in [
                ("fails", SocketError.Code.outOfDescriptors), ("completes", .unknownHost), ("sends", .unknownHost),
                ("waits", .timedOut),
            ] {
                let log = resolver.addresses(of: host, port: 80, loop: loop, timeout: .milliseconds(5)).log()
                try loop.turns { log.hasEnded }
                #expect(log.code == code, "\(host): \(log.ends)")
            }
            let numeric = resolver.addresses(of: "127.0.0.1", port: 80, loop: loop).log()
            try loop.turns { numeric.hasEnded }
            #expect(numeric.values == [[.loopback(port: 80)]])
        }

        @Test("Disposing and a time limit dispose the look-up's signal", arguments: LoopKind.all)
        func disposed(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let disposals = Box(0)
            let resolver = Resolver { _, _, _ in
                Signal { _, subscription in subscription.onDispose { disposals.increment() } }
            }
            let cancelled = resolver.addresses(of: "web.test", port: 80, loop: loop).log()
            cancelled.subscription.dispose()
            #expect(disposals.value == 1 && !cancelled.hasEnded)
            let late = resolver.addresses(of: "web.test", port: 80, loop: loop, timeout: .milliseconds(5)).log()
            try loop.turns { late.hasEnded }
            #expect(late.code == .timedOut && disposals.value == 2)
        }
    }
}
