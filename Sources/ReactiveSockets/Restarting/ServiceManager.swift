// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSupport

/// The service manager that has started this process, such as systemd: it learns when the service is ready, and whether it
/// still works (sd_notify(3)).
///
/// ```swift
/// let manager = try ServiceManager.fromEnvironment()
/// try manager?.notify(.ready, .status("serving on \(server.localAddress)"))
/// let watchdog = try manager?.feedWatchdog(from: [loop])
/// ```
///
/// It needs no library. The unit needs `Type=notify`. Any thread may use every member.
public struct ServiceManager: Sendable {
    /// What a service tells its manager.
    public struct State: Sendable, Hashable {
        let lines: [String]

        private init(_ lines: String...) { self.lines = lines }

        /// The service has started, or has reloaded.
        public static let ready = State("READY=1")
        /// The service is ending.
        public static let stopping = State("STOPPING=1")
        /// The service reloads or replaces itself. It sends ``ready`` when it has.
        public static var reloading: State {
            State("RELOADING=1", "MONOTONIC_USEC=\(ServiceManager.monotonicMicroseconds)")
        }
        /// The service works. ``feedWatchdog(from:)`` sends it.
        public static let watchdog = State("WATCHDOG=1")
        /// A text for the administrator. Line breaks become spaces.
        public static func status(_ text: String) -> State {
            State("STATUS=" + String(text.map { $0.isNewline ? " " : $0 }))
        }
        /// The main process of the service. A process that has taken over from another one sends its own identifier.
        public static func mainProcess(_ identifier: Int32) -> State { State("MAINPID=\(identifier)") }
    }

    /// The maximum number of bytes of a message, which is what systemd reads.
    private static let limit = 4096

    /// The address of the service manager.
    public let address: SocketAddress
    /// The longest time between two messages of the watchdog. `nil` means that the service manager does not watch this
    /// process.
    public let watchdogInterval: Duration?

    init(at address: SocketAddress, watchdogInterval: Duration?) {
        self.address = address
        self.watchdogInterval = watchdogInterval
    }

    /// Sends states in one message. It blocks only while the queue of the service manager is full, for at most a second.
    ///
    /// - Parameter states: The states, in order.
    /// - Throws: `messageTooLarge` if the message has more than 4,096 bytes. Otherwise the system's error, such as
    ///   `noSuchPath` or `refused` if no service manager listens.
    public func notify(_ states: State...) throws(SocketError) { try notify(states) }

    /// Sends states in one message, as the method with several parameters does.
    ///
    /// - Throws: The same errors.
    public func notify(_ states: [State]) throws(SocketError) {
        let socket = try openSocket()
        defer { socket.close() }
        try send(states, on: socket, waiting: true)
    }

    private var operation: String { "cannot notify the service manager at \(address)" }

    func openSocket() throws(SocketError) -> SystemSocket {
        try SystemSocket.open(.datagram, .unix, [], for: operation)
    }

    /// Sends states. Without waiting, they may be lost.
    func send(_ states: [State], on socket: SystemSocket, waiting: Bool) throws(SocketError) {
        let message = Bytes(states.flatMap(\.lines).joined(separator: "\n"))
        guard message.count <= Self.limit else {
            throw SocketError(
                .messageTooLarge,
                "\(operation): the message has \(message.count) bytes, and \(Self.limit) are allowed"
            )
        }
        for attempt in 0... {
            switch socket.send(message, to: address) {
            case .count: return
            case .wouldBlock where waiting && attempt < 100: Self.pause()
            case .wouldBlock: throw SocketError(.timedOut, "\(operation): its queue is full")
            case .failed(let code): throw SocketError.system(operation, code)
            }
        }
    }

    /// Ten milliseconds. The queue of a Unix datagram socket does not report when it has room.
    private static func pause() {
        var time = timespec(tv_sec: 0, tv_nsec: 10_000_000)
        unsafe nanosleep(&time, nil)
    }

    private static var monotonicMicroseconds: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
