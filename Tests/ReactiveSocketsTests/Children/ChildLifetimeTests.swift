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
    @Suite struct ChildLifetimeTests {
        @Test(
            "G5: three children that exit at the same time are reaped, and a foreign child is not",
            arguments: LoopKind.all
        )
        func atOnce(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let foreign = try spawnForeign("exit 9")
            let children = try (1...3).map { code in
                try ChildProcess("/bin/sh", ["-c", "read line; exit \(code)"], standardInput: .piped, loop: loop)
            }
            let logs = children.map { $0.exit.log() }
            try loop.turns(3)
            for child in children { child.standardInput?.finishSending() }
            try loop.turns { logs.allSatisfy(\.hasEnded) }
            #expect(logs.map(\.values) == [[.exited(1)], [.exited(2)], [.exited(3)]])
            #expect(children.allSatisfy { !exists($0.identifier) })
            var status: Int32 = 0
            try waitUntil("exit of the foreign child") { waitpid(foreign, &status, WNOHANG) == foreign }
            #expect((status >> 8) & 0xff == 9)
        }

        @Test("G5: an unobserved and released child leaves no zombie", arguments: LoopKind.all)
        func unobserved(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let numbers = try (0..<5).map { _ in try ChildProcess("/bin/true", loop: loop).identifier }
            try TestThread { try loop.runUntilIdle() }.join("the exit of the children")
            #expect(numbers.allSatisfy { !exists($0) })
        }

        @Test("A released child continues, and reads the end of its input", arguments: LoopKind.all)
        func letGo(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let exit = try {
                try ChildProcess("/bin/sh", ["-c", "cat; exit 4"], standardInput: .piped, loop: loop).exit.log()
            }()
            try loop.turns { exit.hasEnded }
            #expect(exit.values == [.exited(4)])
        }

        @Test("A released child is killed if isKilledOnRelease is set", arguments: LoopKind.all)
        func killed(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let exit = try {
                try ChildProcess("/bin/sleep", ["1000"], isKilledOnRelease: true, loop: loop).exit.log()
            }()
            try loop.turns { exit.hasEnded }
            #expect(exit.values == [.signalled(.kill)])
        }

        @Test(
            "G5: if other code has reaped the child, its exit signal fails with noSuchProcess",
            arguments: LoopKind.all
        )
        func stolen(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let child = try ChildProcess("/bin/true", loop: loop)
            try waitUntil("exit of the child") { waitpid(child.identifier, nil, WNOHANG) == child.identifier }
            let log = child.exit.log()
            try loop.turns { log.hasEnded }
            #expect(log.code == .noSuchProcess && log.values.isEmpty)
            guard let error = log.failure else { return }
            #expect("\(error)".contains("SIGCHLD") && "\(error)".contains("/bin/true"))
            #expect(throws: SocketError(.noSuchProcess, "")) { try child.send(.terminate) }
            let late = child.exit.log()
            try loop.turns { late.hasEnded }
            #expect(late.code == .noSuchProcess)
        }

        @Test(
            "After its loop is disposed, a child continues or is killed, and leaves no zombie",
            arguments: LoopKind.all
        )
        func loopDisposed(_ kind: LoopKind) throws {
            for isKilled in [true, false] {
                let loop = try kind.make()
                let child = try ChildProcess(
                    "/bin/sh",
                    // The child does not read its input, whose other end the loop's disposal closes.
                    ["-c", "exec sleep 1000"],
                    standardInput: .piped,
                    isKilledOnRelease: isKilled,
                    loop: loop
                )
                let log = child.exit.log()
                try loop.turns(3)
                #expect(exists(child.identifier))
                loop.dispose()
                let number = child.identifier
                #expect(child.exit.log().code == .loop && log.ends.isEmpty)
                if !isKilled {
                    #expect(throws: SocketError(.noSuchProcess, "")) { try child.send(.user1) }
                    #expect(exists(number))
                    kill(number, SIGTERM)
                }
                try waitUntil("the end of the child") { !exists(number) }
            }
        }

        @Test("A child of a loop disposed before watching it is still reaped", arguments: LoopKind.all)
        func neverWatched(_ kind: LoopKind) throws {
            let loop = try kind.make()
            var child: ChildProcess? = try ChildProcess("/bin/true", loop: loop)
            let number = try #require(child?.identifier)
            loop.dispose()
            child = nil
            try waitUntil("the end of the child") { !exists(number) }
        }

        @Test(
            "A child of a loop disposed before watching it is killed, although it is retained",
            arguments: LoopKind.all
        )
        func neverWatchedKilled(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let child = try ChildProcess("/bin/sleep", ["1000"], isKilledOnRelease: true, loop: loop)
            loop.dispose()
            try waitUntil("the end of the child") { !exists(child.identifier) }
            withExtendedLifetime(child) {}
        }

        @Test("A loop on its own thread handles 50 children, some killed by other threads", arguments: LoopKind.all)
        func many(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            let before = processDescriptors()
            let ended = Latch(50)
            let statuses = Recorder<ChildProcess.ExitStatus>()
            let children = try (0..<50).map { number in
                let script = number % 2 == 0 ? "exit 0" : "read line; exit 1"
                let child = try ChildProcess("/bin/sh", ["-c", script], standardInput: .piped, loop: loop)
                child.exit.subscribe(onValue: { statuses.append($0) }, onTermination: { _ in ended.arrive() })
                return child
            }
            let killer = TestThread {
                for (number, child) in children.enumerated() where number % 2 == 1 {
                    if number % 4 == 1 { try child.send(.kill) } else { child.standardInput?.finishSending() }
                }
            }
            try killer.join()
            try ended.wait("50 children")
            #expect(statuses.values.count { $0 == .exited(0) } == 25)
            #expect(
                statuses.values.count { $0 == .exited(1) } == 12
                    && statuses.values.count { $0 == .signalled(.kill) } == 13
            )
            #expect(children.allSatisfy { !exists($0.identifier) })
            // Other tests start children too, and end them.
            try waitUntil("the end of the process descriptors") { processDescriptors() <= before }
            let inputs = children.compactMap { $0.standardInput?.core }
            for child in children { child.standardInput?.close() }
            try loop.sync()
            loop.dispose()
            #expect(inputs.allSatisfy { !$0.value.isOpen })
        }
    }
}

/// Starts a child without this framework.
private func spawnForeign(_ script: String) throws -> Int32 {
    var process: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = ["sh", "-c", script].map { (text: String) in strdup(text) } + [nil]
    defer { for argument in arguments { free(argument) } }
    try #require(posix_spawn(&process, "/bin/sh", nil, nil, &arguments, environ) == 0)
    return process
}
