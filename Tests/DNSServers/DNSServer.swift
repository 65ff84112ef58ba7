// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSignals
package import ReactiveSockets
package import SchedulerConformance

/// A DNS server over UDP and TCP on one port. A closure decides the packets that answer a question.
package final class DNSServer: Sendable {
    package typealias Answer = @Sendable (DNSQuery) -> [[UInt8]]

    package let address: SocketAddress
    /// The questions so far.
    package let queries = Recorder<DNSQuery>()
    private let socket: DatagramSocket
    private let listener: Listener

    package init(_ loop: any LoopScheduler, _ answer: @escaping Answer) throws {
        (socket, listener) = try Self.open(loop)
        address = socket.localAddress
        let queries = queries
        let reply: Answer = { query in
            queries.append(query)
            return answer(query)
        }
        socket.received.subscribe(
            onValue: { [socket] datagram in
                guard let query = DNSQuery(Array(datagram.bytes), isTCP: false) else { return }
                for packet in reply(query) { socket.send(Bytes(packet), to: datagram.peer ?? socket.localAddress) }
            },
            onTermination: { _ in }
        )
        listener.connections.subscribe(
            onValue: { connection in
                let framing = Framing.lengthPrefix(bytes: 2)
                connection.received.framed(by: framing, limit: 65_535).subscribe(
                    onValue: { frame in
                        guard let query = DNSQuery(Array(frame), isTCP: true) else { return }
                        for packet in reply(query) {
                            guard let frame = try? framing.encode(Bytes(packet)) else { continue }
                            connection.send(frame)
                        }
                    },
                    onTermination: { _ in connection.abort() }
                )
            },
            onTermination: { _ in }
        )
    }

    /// The names of the questions so far, without repetitions, in the order of their first question.
    package var names: [String] {
        queries.values.reduce(into: []) { names, query in
            if !names.contains(query.name) { names.append(query.name) }
        }
    }

    package func close() {
        socket.close()
        listener.close()
    }

    /// A port of UDP whose number TCP does not use.
    private static func open(_ loop: any LoopScheduler) throws -> (DatagramSocket, Listener) {
        while true {
            let socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
            do throws(SocketError) {
                return (socket, try Listener(on: socket.localAddress, loop: loop))
            } catch {
                socket.close()
                if error.code != .addressInUse { throw error }
            }
        }
    }
}

/// A server that never answers: a UDP socket that nothing reads.
package final class DeadServer {
    package let address: SocketAddress
    private let socket: DatagramSocket

    package init(_ loop: any LoopScheduler) throws {
        socket = try DatagramSocket(on: .loopback(port: 0), loop: loop)
        address = socket.localAddress
    }
}
