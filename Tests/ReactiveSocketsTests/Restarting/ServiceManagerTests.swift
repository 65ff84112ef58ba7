// SPDX-License-Identifier: MIT
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
    @Suite struct ServiceManagerTests {
        private func text(_ received: [UInt8]?) -> String? { received.map { String(decoding: $0, as: UTF8.self) } }

        @Test("States arrive in one message each, at a path and at an abstract name")
        func states() throws {
            let folder = try TestFolder()
            defer { folder.remove() }
            for name in [folder.path("notify"), abstractName().description] {
                let manager = try ServiceManager(name, nil, nil, getpid())
                let systemd = RawDatagrams(at: manager.address)
                try manager.notify(.ready, .status("two\nlines\r\n"), .mainProcess(42))
                #expect(text(systemd.receive()) == "READY=1\nSTATUS=two lines \nMAINPID=42")
                try manager.notify(.stopping)
                #expect(text(systemd.receive()) == "STOPPING=1")
                let before = ContinuousClock.now
                try manager.notify(.reloading)
                let lines = try #require(text(systemd.receive())).split(separator: "\n")
                #expect(lines[0] == "RELOADING=1" && before <= .now)
                #expect(lines[1].hasPrefix("MONOTONIC_USEC=") && Int(lines[1].dropFirst(15)) ?? 0 > 0)
                let long = #expect(throws: SocketError.self) {
                    try manager.notify(.status(String(repeating: "x", count: 4090)))
                }
                #expect(long?.code == .messageTooLarge)
                systemd.close()
            }
            // No socket has ever had this name, so no copy of one can be open in a child that is being started.
            let absent = try ServiceManager("@reactive-notify-absent-\(getpid())", nil, nil, getpid())
            let error = #expect(throws: SocketError.self) { try absent.notify(.ready) }
            #expect(error?.code == .refused)
        }

        @Test("The environment decides about the watchdog")
        func environment() throws {
            func interval(_ microseconds: String?, _ process: String?) throws -> Duration? {
                try ServiceManager("@x", microseconds, process, 7).watchdogInterval
            }
            #expect(try interval(nil, nil) == nil && interval("2000000", "8") == nil)
            #expect(try interval("2000000", "7") == .seconds(2) && interval("1", nil) == .microseconds(1))
            for (microseconds, process) in [
                ("0", nil), ("-1", nil), ("1x", nil), ("1", "x"), ("9999999999999999", nil),
            ] {
                let error = #expect(throws: SocketError.self) { _ = try interval(microseconds, process) }
                #expect(error?.code == .malformed)
            }
            let error = #expect(throws: SocketError.self) { _ = try ServiceManager("vsock:2:1", nil, nil, 7) }
            #expect(error?.code == .invalidAddress)
        }

        @Test("The watchdog is fed at half of its interval while the loops turn", arguments: LoopKind.all)
        func watchdog(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let loop = try kind.make(clock: clock)
            let other = try kind.make(clock: clock)
            let manager = ServiceManager(
                at: abstractName(),
                watchdogInterval: .seconds(2)
            )
            let systemd = RawDatagrams(at: manager.address)
            let feeding = try #require(try manager.feedWatchdog(from: [loop, other]))
            func count() -> Int {
                var count = 0
                while let message = systemd.receive() { count += text(message) == "WATCHDOG=1" ? 1 : 100 }
                return count
            }
            try loop.turns(2)
            #expect(count() == 0)
            try other.turns(2)
            #expect(count() == 1)
            for _ in 0..<3 {
                clock.advance(by: .seconds(1))
                try loop.turns(2)
                try other.turns(2)
                #expect(count() == 1)
            }
            // The second loop is blocked. However often the timer fires, one job waits.
            for _ in 0..<5 {
                clock.advance(by: .seconds(1))
                try loop.turns(2)
            }
            #expect(count() == 0)
            try other.turns(2)
            #expect(count() == 1)
            feeding.dispose()
            clock.advance(by: .seconds(10))
            try loop.turns(2)
            try other.turns(2)
            #expect(count() == 0)
            let unwatched = ServiceManager(at: manager.address, watchdogInterval: nil)
            #expect(try unwatched.feedWatchdog(from: [loop]) == nil)
            systemd.close()
            loop.dispose()
            other.dispose()
        }

        @Test(
            "Variables of socket activation that contradict the protocol are refused",
            arguments: [
                ("-1", nil), ("x", nil), ("", nil), ("1025", nil), ("2", "one"), ("1", "a:b"), ("1", ""), ("0", "a"),
                ("1", "a\u{1}"), ("1", String(repeating: "a", count: 256)),
            ] as [(String, String?)]
        )
        func activation(_ count: String, _ names: String?) {
            let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.sockets(count, names) }
            #expect(error?.code == .malformed)
        }

        @Test("Socket activation removes its variables, so that child processes do not take the sockets too")
        func variables() async {
            // In a process of its own, because other tests read the environment.
            await #expect(processExitsWith: .success) {
                for (process, isOwn) in [(getppid(), false), (getpid(), true)] {
                    let values = ["LISTEN_PID": "\(process)", "LISTEN_FDS": "0", "LISTEN_FDNAMES": ""]
                    for (name, value) in values { setenv(name, value, 1) }
                    let inherited = try InheritedSockets.activated()
                    #expect(inherited == nil)
                    for (name, value) in values { #expect(Environment[name] == (isOwn ? nil : value)) }
                }
            }
        }

        @Test("Zero sockets are none, and descriptors that are no sockets are refused")
        func descriptors() throws {
            #expect(try InheritedSockets.sockets("0", nil) == nil && InheritedSockets.sockets("0", "") == nil)
            // The process has other descriptors at these numbers, and not a thousand sockets.
            let error = #expect(throws: SocketError.self) { _ = try InheritedSockets.sockets("1024", nil) }
            #expect(error?.code == .badDescriptor)
        }
    }
}
