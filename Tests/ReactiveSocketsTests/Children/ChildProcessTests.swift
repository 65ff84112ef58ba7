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
    @Suite struct ChildProcessTests {
        @Test(
            "G5: the exit code is delivered once on the loop, and again to later subscribers",
            arguments: LoopKind.all
        )
        func exitCode(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            for code: Int32 in [0, 1, 77, 255] {
                let child = try ChildProcess("/bin/sh", ["-c", "exit \(code)"], loop: loop)
                let (log, isOnLoop) = (child.exit.log(), Box(false))
                child.exit.subscribe(onValue: { _ in isOnLoop.value = loop.isCurrent }, onTermination: noFailure())
                // The child keeps the loop alive.
                try TestThread { try loop.runUntilIdle() }.join("the exit of the child")
                #expect(log.values == [.exited(code)] && log.isCompleted && isOnLoop.value)
                #expect(log.values.first?.isSuccess == (code == 0))
                let late = child.exit.log()
                try loop.turns { late.hasEnded }
                #expect(late.values == [.exited(code)] && late.isCompleted)
                #expect(!exists(child.identifier))
            }
        }

        @Test(
            "A process signal reaches the child and is its exit status, and a signal after the exit is refused",
            arguments: LoopKind.all
        )
        func signals(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            for signal in [ProcessSignal.terminate, .kill, .interrupt] {
                let child = try ChildProcess("/bin/cat", standardInput: .piped, standardOutput: .piped, loop: loop)
                let log = child.exit.log()
                try loop.turns(3)
                #expect(log.values.isEmpty)
                #expect(throws: SocketError(.systemCall, "")) { try child.send(ProcessSignal(rawValue: 1000)) }
                try child.send(signal)
                try loop.turns { log.hasEnded }
                #expect(log.values == [.signalled(signal)])
                let failure = #expect(throws: SocketError.self) { try child.send(signal) }
                #expect(failure?.code == .noSuchProcess && failure?.errno == ESRCH)
            }
        }

        @Test("A child may be silent for longer than the limit of a half-closed connection", arguments: LoopKind.all)
        func silent(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let loop = try kind.make(clock: clock)
            defer { loop.dispose() }
            let child = try ChildProcess("/bin/cat", standardInput: .piped, standardOutput: .piped, loop: loop)
            for _ in 0..<40 {
                try loop.turns(2)
                clock.advance(by: .seconds(5))
            }
            child.standardInput?.send("late")
            child.standardInput?.finishSending()
            let received = try #require(child.standardOutput?.received.log())
            try loop.turns { received.hasEnded }
            #expect(received.bytes == Array("late".utf8) && received.isCompleted)
        }

        @Test("A megabyte passes through cat unchanged, with its error output and exit code", arguments: LoopKind.all)
        func streams(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let script = "cat; echo told >&2; exit 3"
            let child = try ChildProcess(
                "sh",
                ["-c", script],
                standardInput: .piped,
                standardOutput: .piped,
                standardError: .piped,
                loop: loop
            )
            let data = noise(1_000_000)
            let pieces = stride(from: 0, to: data.count, by: 10_000).map { Bytes(data[$0..<$0 + 10_000]) }
            let input = try #require(child.standardInput)
            let sent = input.send(from: Signal<Bytes, Never>(values: pieces)).log()
            let (output, error) = (
                try #require(child.standardOutput).received.log(), try #require(child.standardError).received.log()
            )
            let exit = child.exit.log()
            try loop.turns { output.hasEnded && error.hasEnded && exit.hasEnded && sent.hasEnded }
            #expect(output.bytes == data && output.isCompleted && sent.isCompleted)
            #expect(String(decoding: error.bytes, as: UTF8.self) == "told\n" && exit.values == [.exited(3)])
            // Both directions of each stream have ended, so their descriptors are closed, although the objects are
            // still referenced.
            let cores = [child.standardInput, child.standardOutput, child.standardError].compactMap { $0?.core.value }
            try loop.turns { cores.allSatisfy { !$0.isOpen } }
            #expect(cores.count == 3)
        }

        @Test("The example of Docs/Children.md", arguments: LoopKind.all)
        func example(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let words = Signal<Bytes, Never>(values: ["pear\n", "apple\n", "pear\n"])
            let (printed, ended) = (Recorder<String>(), Recorder<String>())
            let child = try ChildProcess("sort", ["-u"], standardInput: .piped, standardOutput: .piped, loop: loop)
            child.standardInput?.send(from: words)
            child.standardOutput?.received.subscribe(
                onValue: { bytes in printed.append("\(bytes)") },
                onTermination: noFailure()
            )
            child.exit.subscribe(onValue: { status in ended.append("sort \(status)") }, onTermination: noFailure())
            try TestThread { try loop.runUntilIdle() }.join("the exit of the child")
            #expect(printed.values.joined() == "apple\npear\n" && ended.values == ["sort exited with 0"])
        }

        @Test("Arguments, environment and folder are passed to the child unchanged", arguments: LoopKind.all)
        func surroundings(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let script = #"printf '%s|' "$0" "$@"; pwd; env | sort; cat; ulimit -n >/dev/null"#
            let child = try ChildProcess(
                "/bin/sh",
                ["-c", script, "zero", "", "two words", "\"'$x"],
                environment: ["A": "1=2", "B": ""],
                folder: "/",
                standardOutput: .piped,
                loop: loop
            )
            #expect(child.standardInput == nil && child.standardError == nil)
            let output = try #require(child.standardOutput).received.log()
            try loop.turns { output.hasEnded }
            let text = String(decoding: output.bytes, as: UTF8.self)
            #expect(text.hasPrefix("zero||two words|\"'$x|/\n"))
            let variables = text.split(separator: "\n").dropFirst().filter { $0.hasPrefix("A=") || $0.hasPrefix("B=") }
            #expect(variables == ["A=1=2", "B="] && !text.contains("HOME="))
        }

        @Test(
            "A child starts with default signal handling, and inherits no descriptor of the framework",
            arguments: LoopKind.all
        )
        func clean(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let listener = try Listener(on: .loopback(port: 0), loop: loop)
            signal(60, SIG_IGN)
            defer { signal(60, SIG_DFL) }
            let other = try ChildProcess("/bin/cat", standardInput: .piped, loop: loop)
            let script = "grep -E 'Sig(Blk|Ign)' /proc/self/status; for d in /proc/$$/fd/*; do readlink $d; done"
            let child = try ChildProcess("/bin/sh", ["-c", script], standardOutput: .piped, loop: loop)
            let output = try #require(child.standardOutput).received.log()
            try loop.turns { output.hasEnded }
            let lines = String(decoding: output.bytes, as: UTF8.self).split(separator: "\n")
            let masks = lines.filter { $0.hasPrefix("Sig") }.compactMap { UInt64($0.suffix(16), radix: 16) }
            // Glibc ignores its own signals, 32 and 33, in every child.
            #expect(masks.count == 2 && masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 }, "\(lines)")
            // Other tests of this process may have inheritable descriptors.
            let ours = [listener.core.value.bound.socket, try #require(other.standardInput).core.value.socket]
            for socket in ours {
                let name = link(of: socket.descriptor)
                #expect(name.hasPrefix("socket:") && !lines.contains { $0 == name })
            }
            #expect(!lines.contains { $0.contains("pidfd") })
            listener.close()
            try other.send(.kill)
            try TestThread { try loop.runUntilIdle() }.join("the exit of the child")
        }

        @Test(
            "A failed start throws a typed error that names the program, and leaves nothing behind",
            arguments: LoopKind.all
        )
        func refused(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            for (program, folder, code) in [
                ("/no/such/program", nil, SocketError.Code.noSuchPath), ("no-such-program-at-all", nil, .noSuchPath),
                ("/etc/passwd", nil, .permissionDenied), ("/", nil, .permissionDenied),
                ("/bin/true", "/no/such/folder", .noSuchPath), ("", nil, .noSuchPath),
                ("/bin/\0true", nil, .malformed),
            ] as [(String, String?, SocketError.Code)] {
                let failure = #expect(throws: SocketError.self) {
                    try ChildProcess(
                        program,
                        folder: folder,
                        standardInput: .piped,
                        standardOutput: .piped,
                        standardError: .null,
                        loop: loop
                    )
                }
                #expect(failure?.code == code && failure?.message.contains(folder ?? program) == true)
            }
            for name in ["", "a=b", "a\0b"] {
                #expect(throws: SocketError(.malformed, "")) {
                    try ChildProcess("/bin/true", environment: [name: "x"], loop: loop)
                }
            }
            // Other tests in the process open sockets too, but not hundreds at once.
            let before = Descriptor.all.count
            for _ in 0..<300 {
                _ = try? ChildProcess("/no/such", standardInput: .piped, standardOutput: .null, loop: loop)
            }
            try waitUntil("the descriptors to close") { Descriptor.all.count - before < 150 }
            loop.dispose()
            #expect(throws: SocketError(.loop, "")) { try ChildProcess("/bin/true", loop: loop) }
        }
    }
}

/// Whether a process with that number exists, even as a zombie.
func exists(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

/// The number of process descriptors (pidfd) that are open.
func processDescriptors() -> Int { Descriptor.all.count { link(of: $0).contains("pidfd") } }

/// The number of sockets that are open. The test library opens and closes other descriptors.
func openSockets() -> Int { Descriptor.all.count { link(of: $0).hasPrefix("socket:") } }

/// The target of a descriptor of this process, as the system names it.
func link(of descriptor: Int32) -> String {
    var path = [CChar](repeating: 0, count: 100)
    let length = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
    return String(decoding: path[..<max(0, length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
