// SPDX-License-Identifier: MIT
#if NATS
    import Foundation
    import FuzzSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerDispatch
    import SchedulerEngine

    /// One connection of a client to a server that sends given bytes, until the client has closed.
    ///
    /// The server is this thread with blocking sockets. The client has its own loop.
    struct NATSConversation {
        struct Heard: CustomStringConvertible {
            var messages: [NATSMessage] = []
            /// The stream positions of the messages that were read.
            var numbers: [Int] = []
            var hasEnded = false
            /// The bytes that the server sent after the handshake.
            var said: [UInt8] = []

            var description: String { "\(messages.count) and \(numbers.count) of the stream" }
        }

        /// The result, which the client's loop stores.
        private final class Result: Sendable {
            let heard = Lock(Heard())
            let ended = DispatchSemaphore(value: 0)
        }

        private(set) var heard = Heard()
        private let peer: Int32

        private static let loop: any LoopScheduler = {
            do { return try DispatchLoop(name: "nats-fuzz") } catch { fatalError("no loop: \(error)") }
        }()
        private static let listener = FakeListener()

        init(_ info: [UInt8], _ rest: [UInt8], cutAt places: [Int]) {
            let result = Result()
            let options = NATSOptions(connectTimeout: .seconds(5), maximumReconnects: 0)
            let client = NATSClient(to: ["nats://127.0.0.1:\(Self.listener.port)"], on: Self.loop, options: options)
            client.subscribe("a").subscribe(
                onValue: { message in
                    result.heard.withLock { $0.messages.append(message) }
                },
                onTermination: { _ in }
            )
            client.jetStream.read("S").subscribe(
                onValue: { message in
                    result.heard.withLock {
                        $0.numbers += [message.sequence, message.consumerSequence, message.pending]
                    }
                },
                onTermination: { _ in }
            )
            client.state.signal.subscribe(onValue: { state in
                if case .closed = state { result.ended.signal() }
            })
            peer = Self.listener.accept()
            let said = serve(info, rest, cutAt: places)
            close(peer)
            let hasEnded = result.ended.wait(timeout: .now() + 10) == .success
            heard = result.heard.withLock { $0 }
            heard.hasEnded = hasEnded
            heard.said = said
            client.close()
        }

        /// Replies like a server up to the client's question, and then sends `rest`. Returns the bytes sent after the
        /// handshake.
        private func serve(_ info: [UInt8], _ rest: [UInt8], cutAt places: [Int]) -> [UInt8] {
            guard say(info), listen(until: "PING\r\n") != nil, say(Array("PONG\r\n".utf8)) else { return [] }
            let asking = "CONSUMER.CREATE.S "
            let question = listen(until: asking)?.components(separatedBy: asking).last
            let reply = Array((question?.split(separator: " ").first ?? "nowhere").utf8)
            var said: [UInt8] = []
            for chunk in rest.chunks(cutAt: places) {
                let bytes = chunk.flatMap { $0 == NATSServerFuzzer.reply ? reply : [$0] }
                said += bytes
                guard say(bytes) else { break }
            }
            return said
        }

        /// Returns false if the client has disconnected.
        private func say(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Returns what the client sends up to `end` and the end of that line. `nil` if it disconnects or stays
        /// silent.
        private func listen(until end: String) -> String? {
            var heard = ""
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(peer, &buffer, buffer.count, 0)
                if count <= 0 { return nil }
                heard += String(decoding: buffer[..<count], as: UTF8.self)
                if heard.contains(end), heard.hasSuffix("\r\n") { return heard }
            }
        }
    }

    /// The listener that clients connect to.
    private struct FakeListener {
        let port: UInt16
        private let socket: Int32

        init() {
            socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            port = withUnsafeMutableBytes(of: &address) { [socket] bytes in
                guard let place = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    bind(socket, place, length) == 0, Glibc.listen(socket, 16) == 0,
                    getsockname(socket, place, &length) == 0
                else { fatalError("no port to listen on: errno \(errno)") }
                return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
            }
        }

        /// Accepts the next connection, whose reads wait at most a quarter of a second.
        func accept() -> Int32 {
            let peer = Glibc.accept(socket, nil, nil)
            var time = timeval(tv_sec: 0, tv_usec: 250_000)
            setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
            return peer
        }
    }
#endif
