// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine
import Testing

#if Libevent
    import SchedulerLibevent
#endif
#if Libuv
    import SchedulerLibuv
#endif

// The snippets of the DocC catalogues of the engine and of the loops that no example program contains.

/// Counts on its loop: its methods run as work of the loop.
actor Counter {
    private let loop: EpollLoop
    private var count = 0

    init(on loop: EpollLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func increment() -> Int {
        precondition(loop.isCurrent)
        count += 1
        return count
    }
}

/// An echo server whose callbacks are blocks of `queue`.
func serveEcho(on queue: DispatchQueue) throws -> Listener {
    let loop = try DispatchLoop(attachedTo: queue)
    let listener = try Listener(on: .loopback(port: 0), loop: loop)
    listener.connections.subscribe(
        onValue: { connection in connection.send(from: connection.received) },
        onTermination: { print("listening ended: \($0)") }
    )
    return listener
}

/// The squares of 1, 2 and 3, computed on a thread of libdispatch and delivered on `loop`.
func squares(on loop: any LoopScheduler) -> Signal<Int, Never> {
    let pool = DispatchQueueScheduler(targeting: .global())
    return Signal<Int, Never>(values: 1...3)
        .observe(on: pool)
        .map { number in number * number }
        .observe(on: loop)
}

#if Libuv
    /// An echo server on a thread that waits in libuv.
    func serveEchoOnLibuv() throws -> Listener {
        let loop = try LibuvLoop(name: "io")
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        return listener
    }
#endif

#if Libevent
    /// An echo server on a thread that waits in libevent.
    func serveEchoOnLibevent() throws -> Listener {
        let loop = try LibeventLoop(name: "io")
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        return listener
    }

    /// An echo server on the `event_base` of a program that has one. The program runs the base.
    func serve(on base: UnsafeMutableRawPointer, port: UInt16) throws -> LibeventLoop {
        let guest = try LibeventLoop(attachedTo: base)
        let listener = try Listener(on: .loopback(port: port), loop: guest)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: { print("listening ended: \($0)") }
        )
        return guest
    }
#endif

@Suite struct DocsEngine {
    @Test func turns() throws {
        let printed = Recorder<String>()
        @Sendable func print(_ text: String) { printed.append(text) }

        let loop = try EpollLoop(name: "example", thread: .caller)
        loop.schedule(after: .milliseconds(20)) { print("third") }
        loop.execute { print("first") }
        loop.execute { print("second") }
        try loop.runUntilIdle()  // Prints "first", "second", "third".

        loop.dispose()
        #expect(printed.values == ["first", "second", "third"])
    }

    @Test func watching() throws {
        let loop = try EpollLoop(name: "example", thread: .caller)
        defer { loop.dispose() }
        let ends = try #require(Self.pipe())
        let (descriptor, writer) = (ends.reading, ends.writing)
        let printed = Recorder<String>()
        @Sendable func print(_ text: String) { printed.append(text) }
        loop.execute { _ = write(writer, "hello", 5) }

        let watch = try loop.watch(descriptor, for: .read) { _ in
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = read(descriptor, &buffer, buffer.count)
            print("read \(count) bytes")
            loop.stop()
        }
        try loop.run()
        watch.dispose()
        close(descriptor)  // Only after the disposal of its watches.

        close(writer)
        #expect(printed.values == ["read 5 bytes"])
    }

    @Test func actors() async throws {
        let loop = try EpollLoop(name: "actors")
        let counter = Counter(on: loop)
        let count = await counter.increment()
        #expect(count == 1)
        loop.dispose()
    }

    @Test func queues() async throws {
        let echo = try serveEcho(on: DispatchQueue(label: "echo"))
        try await Self.checkEcho(of: echo)
        echo.loop.dispose()
        let loop = try DispatchLoop(name: "squares")
        var numbers: [Int] = []
        for await number in squares(on: loop).values(limit: 3) { numbers.append(number) }
        #expect(numbers == [1, 4, 9])
        loop.dispose()
    }

    #if Libuv
        @Test func libuv() async throws {
            let echo = try serveEchoOnLibuv()
            try await Self.checkEcho(of: echo)
            echo.loop.dispose()
        }
    #endif

    #if Libevent
        @Test func libevent() async throws {
            let echo = try serveEchoOnLibevent()
            try await Self.checkEcho(of: echo)
            echo.loop.dispose()
        }
    #endif

    /// Both ends of a pipe, or nil if the system has no descriptor left.
    private static func pipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [0, 0]
        return Glibc.pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
    }

    /// Sends bytes to the server and compares what it returns.
    private static func checkEcho(of listener: Listener) async throws {
        let loop = try EpollLoop(name: "client")
        let answer = try await withConnection(to: listener.localAddress, loop: loop) { received, send in
            try await send("hello")
            send.finish()
            var answer = ""
            for try await bytes in received { answer += String(bytes) }
            return answer
        }
        #expect(answer == "hello")
        loop.dispose()
    }
}
