// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Files in the queue of a connection, on each loop. ReactiveHTTPTests test them with TCP.
@Suite struct FileSendingTests {
    /// How the system treats sendfile.
    enum Sending: CaseIterable {
        case sendfile
        /// sendfile fails with EINVAL, as for some file systems: here because of the flag O_APPEND of the socket.
        case reading
    }

    private func file(_ bytes: [UInt8]) throws -> OpenFile {
        var template = Array("/tmp/reactive-file-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        unlink(template)
        let file = OpenFile(adopting: descriptor)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            try #require(count > 0)
            offset += count
        }
        return file
    }

    private func connect(_ kind: LoopKind, _ sending: Sending) throws -> (Connection, SocketPair, any LoopScheduler) {
        let loop = try kind.make()
        let pair = SocketPair()
        let near = fcntl(pair.near, F_DUPFD_CLOEXEC, 0)
        pair.closeNear()
        if sending == .reading { #expect(fcntl(near, F_SETFL, O_APPEND) == 0) }
        let flags = fcntl(pair.far, F_GETFL)
        #expect(fcntl(pair.far, F_SETFL, flags | O_NONBLOCK) == 0)
        return (try Connection(adopting: near, loop: loop), pair, loop)
    }

    /// Reads what has arrived. Returns false at the end of the stream.
    private func read(_ pair: SocketPair, into all: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 100_000)
        let count = recv(pair.far, &buffer, buffer.count, 0)
        if count > 0 { all += buffer[..<count] }
        return count > 0 || count < 0 && errno == EAGAIN
    }

    @Test("Files and bytes keep their order", arguments: LoopKind.all, Sending.allCases)
    func order(_ kind: LoopKind, _ sending: Sending) throws {
        let (connection, pair, loop) = try connect(kind, sending)
        defer { pair.close() }
        defer { loop.dispose() }
        let content = noise(900_000)
        let file = try file(content)
        var random = SplitMix64(seed: 6)
        var expected: [UInt8] = []
        let source = SignalSubscription()
        var parts: [Part] = []
        for number in 0..<40 {
            if Bool.random(using: &random) {
                let bytes = Bytes(repeating(number, Int.random(in: 1..<30_000, using: &random)))
                parts.append(.bytes(bytes))
                expected += Array(bytes)
            } else {
                let start = Int.random(in: 0..<content.count, using: &random)
                let range = start..<min(content.count, start + Int.random(in: 0..<400_000, using: &random))
                parts.append(.file(range))
                expected += content[range]
            }
        }
        let (all, done) = (parts, Box(false))
        loop.execute {
            for part in all {
                switch part {
                case .bytes(let bytes): connection.send(bytes)
                case .file(let range):
                    connection.send(FilePart(file, range) { Issue.record("\($0)") }, pausing: source)
                }
            }
            connection.send("end").subscribe(onTermination: { _ in done.value = true })
            connection.finishSending()
        }
        expected += Array("end".utf8)
        var received: [UInt8] = []
        try loop.turns { !read(pair, into: &received) }
        let isSame = received == expected
        #expect(isSame, "\(received.count) of \(expected.count)")
        #expect(done.value && !source.isPaused && connection.isWritable.value)
    }

    @Test(
        "A file that ends early, and a peer that leaves, end the connection",
        arguments: LoopKind.all,
        Sending.allCases
    )
    func failures(_ kind: LoopKind, _ sending: Sending) throws {
        for leaves in [true, false] {
            let (connection, pair, loop) = try connect(kind, sending)
            defer { pair.close() }
            defer { loop.dispose() }
            weak var released: OpenFile?
            let (failures, end) = (Recorder<SocketError>(), Box<Termination<SocketError>?>(nil))
            do {
                let file = try file([UInt8](repeating: 1, count: 2_000_000))
                released = file
                let held = Box<OpenFile?>(file)
                connection.ended.subscribe(onTermination: { end.value = $0 })
                loop.execute {
                    guard let file = held.value else { return }
                    connection.send(
                        FilePart(file, 0..<3_000_000) { failures.append($0) },
                        pausing: SignalSubscription()
                    )
                    held.value = nil
                }
            }
            try loop.turns { !connection.isWritable.value }
            #expect(released != nil)
            var received: [UInt8] = []
            if leaves { pair.closeFar() }
            try loop.turns {
                if !leaves { _ = read(pair, into: &received) }
                return end.value != nil
            }
            // A Unix socket has no reset, so its peer can read what was sent.
            if !leaves { try loop.turns { !read(pair, into: &received) } }
            #expect(released == nil)
            guard case .failed(let error) = end.value else {
                Issue.record("\(String(describing: end.value))")
                continue
            }
            #expect(error.code == (leaves ? .reset : .sourceFailed))
            #expect(failures.values.map(\.code) == (leaves ? [] : [.sourceFailed]))
            #expect(leaves || received.count == 2_000_000)
        }
    }

    @Test(
        "A file that cannot be read is a failure of its source, which is notified last",
        arguments: LoopKind.all,
        Sending.allCases
    )
    func unreadable(_ kind: LoopKind, _ sending: Sending) throws {
        let (connection, pair, loop) = try connect(kind, sending)
        defer { pair.close() }
        defer { loop.dispose() }
        let file = OpenFile(adopting: open("/dev/null", O_WRONLY | O_CLOEXEC))
        let (end, failure) = (Box<Termination<SocketError>?>(nil), Box<SocketError?>(nil))
        let wasFinal = Box(false)
        connection.ended.subscribe(onTermination: { end.value = $0 })
        loop.execute {
            let part = FilePart(file, 0..<100) { error in
                wasFinal.value = end.value != nil
                failure.value = error
            }
            connection.send(part, pausing: SignalSubscription())
        }
        try loop.turns { end.value != nil && failure.value != nil }
        #expect(wasFinal.value && failure.value?.code == .sourceFailed && failure.value?.errno == EBADF)
        guard case .failed(let error) = end.value else {
            Issue.record("\(String(describing: end.value))")
            return
        }
        #expect(error.code == .sourceFailed)
        withExtendedLifetime(pair) {}
    }

    @Test(
        "A thread that blocks SIGPIPE receives none from a file, and keeps one that waited",
        arguments: [true, false]
    )
    func blockedSignal(_ waits: Bool) throws {
        let (connection, pair, loop) = try connect(LoopKind.all[0], .sendfile)
        defer { pair.close() }
        defer { loop.dispose() }
        let file = try file([UInt8](repeating: 1, count: 100))
        // A shutdown reaches the peer at once. A close waits until no child that is being started has a copy.
        #expect(shutdown(pair.far, Int32(SHUT_RDWR)) == 0)
        var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        if waits { pthread_kill(pthread_self(), SIGPIPE) }
        let outcome = connection.core.value.socket.send(file, from: 0, 100)
        sigpending(&pending)
        let isPending = sigismember(&pending, SIGPIPE) == 1
        var now = timespec()
        if isPending { sigtimedwait(&pipe, nil, &now) }
        #expect(isPending == waits)
        guard case .failed(EPIPE) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("Only a system without openat2 changes how all files are opened")
    func missingCall() {
        // Without its type, the compiler needs 100 s for this array.
        let calls: [(result: Int32, probe: Int32, isMissing: Bool)] = [
            (-ENOSYS, 3, true), (-EPERM, -EPERM, true), (-EPERM, -ENOSYS, true), (-EPERM, 3, false),
            (-EPERM, -EACCES, false), (-EACCES, -EPERM, false), (-ENOENT, -EPERM, false),
        ]
        for (result, probe, isMissing) in calls {
            #expect(OpenFolder.isOpenat2Missing(result, probe: { probe }) == isMissing, "\(result) \(probe)")
        }
    }

    private enum Part: Sendable {
        case bytes(Bytes)
        case file(Range<Int>)
    }

    private func noise(_ count: Int) -> [UInt8] {
        var random = SplitMix64(seed: 5)
        return random.noise(count)
    }

    private func repeating(_ number: Int, _ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count)
    }
}
