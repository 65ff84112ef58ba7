// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ResolverTests {
        /// A look-up that answers on command, and records the requested names.
        private final class Oracle: Sendable {
            let asked = Recorder<String>()
            private let gate = DispatchSemaphore(value: 0)

            func resolver(threads: Int) -> Resolver {
                Resolver(pool: WorkerPool(maximumThreads: threads)) { [self] (host, port) throws(SocketError) in
                    asked.append(host)
                    gate.wait()
                    if host.hasPrefix("no") { throw SocketError(.unknownHost, "unknown host \(host)") }
                    return [.loopback(port: port), .loopback(port: port), .loopback(port: port &+ 1)]
                }
            }

            func answer(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }
        }

        @Test("N19: localhost resolves to this machine, and the result arrives on the loop", arguments: LoopKind.all)
        func localhost(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (found, isOnLoop) = (Box<[SocketAddress]>([]), Box(false))
            let log = Resolver.system.addresses(of: "localhost", port: 80, loop: loop)
            log.subscribe(
                onValue: { addresses in
                    found.value = addresses
                    isOnLoop.value = loop.isCurrent
                },
                onTermination: noFailure()
            )
            // The look-up keeps the loop alive.
            try TestThread { try loop.runUntilIdle() }.join("the look-up")
            #expect(isOnLoop.value && Set(found.value).count == found.value.count && !found.value.isEmpty)
            #expect(found.value.allSatisfy { $0.port == 80 && ["127.0.0.1", "::1"].contains($0.host) })
        }

        @Test("Numeric addresses are resolved without a thread", arguments: LoopKind.all)
        func numeric(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let oracle = Oracle()
            let resolver = oracle.resolver(threads: 1)
            for host in ["127.0.0.1", "::1", "[::1]", "0.0.0.0"] {
                let log = resolver.addresses(of: host, port: 7, loop: loop).log()
                try loop.turns { log.hasEnded }
                #expect(log.values == [[try SocketAddress(host: host, port: 7)]] && log.isCompleted)
            }
            for (host, port, code) in [
                ("name", -1, SocketError.Code.invalidAddress), ("name", 65536, .invalidAddress),
                ("127.0.0.1", 65536, .invalidAddress), ("", 1, .unknownHost), ("local\0host", 1, .unknownHost),
            ] {
                let log = resolver.addresses(of: host, port: port, loop: loop).log()
                try loop.turns { log.hasEnded }
                #expect(log.code == code)
            }
            #expect(oracle.asked.count == 0)
        }

        @Test("An unknown name fails with a typed error that contains the name", arguments: LoopKind.all)
        func unknown(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            // The label is longer than allowed, so the system refuses it without a query.
            for host in [String(repeating: "x", count: 70) + ".invalid", "two words", "999.1.1.1.1"] {
                // A machine without a name server may wait for one longer than the default limit.
                let limit = Duration.seconds(Latch.limit)
                let log = Resolver.system.addresses(of: host, port: 1, loop: loop, timeout: limit).log()
                try loop.turns { log.hasEnded }
                #expect(log.code == .unknownHost)
                guard let error = log.failure else { return }
                #expect("\(error)".contains(host) && "\(error)".contains(": "))
            }
        }

        @Test("A look-up that lacks descriptors or memory does not report an unknown name")
        func exhausted() {
            for (code, systemError, expected) in [
                (EAI_NONAME, EMFILE, SocketError.Code.outOfDescriptors), (EAI_AGAIN, ENFILE, .outOfDescriptors),
                (EAI_SYSTEM, EMFILE, .outOfDescriptors), (EAI_AGAIN, ENOBUFS, .systemCall),
                (EAI_MEMORY, 0, .systemCall),
            ] {
                let error = NameLookUp.failure("web.test", code, systemError)
                #expect(error.code == expected && error.errno == (code == EAI_MEMORY ? ENOMEM : systemError))
            }
            for systemError in [0, ENOENT, ECONNREFUSED] {
                let error = NameLookUp.failure("web.test", EAI_NONAME, systemError)
                #expect(error.code == .unknownHost && error.errno == 0)
            }
        }

        @Test(
            "N19: the results of 100 concurrent look-ups arrive on the loop, including failures",
            arguments: LoopKind.all
        )
        func many(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let oracle = Oracle()
            let resolver = oracle.resolver(threads: 8)
            let (done, elsewhere) = (Latch(100), Box(0))
            let (found, failed) = (Box(0), Box(0))
            for number in 0..<100 {
                let name = number % 4 == 0 ? "no\(number)" : "host\(number)"
                resolver.addresses(of: name, port: number, loop: loop).subscribe(
                    onValue: { addresses in
                        if !loop.isCurrent { elsewhere.increment() }
                        #expect(addresses.map(\.port) == [UInt16(number), UInt16(number) + 1])
                        found.increment()
                    },
                    onTermination: { termination in
                        if !loop.isCurrent { elsewhere.increment() }
                        if case .failed(let error) = termination {
                            #expect(error.code == .unknownHost)
                            failed.increment()
                        }
                        done.arrive()
                    }
                )
            }
            oracle.answer(100)
            try done.wait("100 answers")
            #expect(found.value == 75 && failed.value == 25 && elsewhere.value == 0)
        }

        @Test("N19: a cancelled look-up never starts, or its result is dropped", arguments: LoopKind.all)
        func cancelled(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let oracle = Oracle()
            let resolver = oracle.resolver(threads: 1)
            let logs = (0..<5).map { resolver.addresses(of: "host\($0)", port: 1, loop: loop).log() }
            try loop.turns { oracle.asked.count == 1 }
            for index in [0, 1, 3] { logs[index].subscription.dispose() }
            oracle.answer(5)
            try loop.turns { logs[2].hasEnded && logs[4].hasEnded }
            #expect(oracle.asked.values == ["host0", "host2", "host4"])
            #expect([0, 1, 3].allSatisfy { logs[$0].values.isEmpty && !logs[$0].hasEnded })
            #expect(logs[2].isCompleted && logs[4].isCompleted)
            // The cancelled look-ups do not keep the loop alive.
            try TestThread { try loop.runUntilIdle() }.join("an idle loop")
        }

        @Test("N19: a look-up times out while it waits for a thread or for an answer", arguments: LoopKind.all)
        func timedOut(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let oracle = Oracle()
            let resolver = oracle.resolver(threads: 1)
            let start = loop.now
            let logs = (0..<2).map { number in
                resolver.addresses(of: "slow\(number)", port: 1, loop: loop, timeout: .milliseconds(30)).log()
            }
            try loop.turns { logs.allSatisfy(\.hasEnded) }
            #expect(logs.allSatisfy { $0.code == .timedOut } && loop.now - start >= .milliseconds(30))
            oracle.answer(2)
            let after = resolver.addresses(of: "host", port: 1, loop: loop).log()
            try loop.turns { after.hasEnded }
            // The first look-up does not even start if its thread is too late. The second one may start then.
            let allowed = [["slow0", "host"], ["slow1", "host"], ["host"]]
            #expect(after.isCompleted && allowed.contains(oracle.asked.values))
            #expect(logs.allSatisfy { $0.ends.count == 1 && $0.values.isEmpty })
        }

        @Test(
            "Disposing the loop drops a look-up without a notification and releases its observer",
            arguments: LoopKind.all
        )
        func loopDisposed(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let oracle = Oracle()
            let resolver = oracle.resolver(threads: 1)
            let gone = Latch()
            let log = {
                let canary = Canary { gone.arrive() }
                let log = Log<[SocketAddress], SocketError>()
                resolver.addresses(of: "host", port: 1, loop: loop).subscribe(
                    in: log.subscription,
                    onValue: { addresses in
                        canary.sing()
                        log.take(addresses)
                    },
                    onTermination: { log.take(end: $0) }
                )
                return log
            }()
            try loop.turns { oracle.asked.count == 1 }
            loop.dispose()
            oracle.answer()
            log.subscription.dispose()
            try gone.wait("the release of the observer")
            #expect(log.values.isEmpty)
            #expect(resolver.addresses(of: "host", port: 1, loop: loop).log().code == .loop)
        }
    }
}
