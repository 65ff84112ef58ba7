// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

struct Broken: Error {}

/// A connection sends any source of bytes.
func sending(_ connection: Connection, _ subject: Subject<Bytes, Broken>, _ state: Property<Bytes>) {
    connection.send(from: subject)
    connection.send(from: subject.signal)
    connection.send(from: state)
    connection.send(from: connection.received)
    connection.send(from: state.signal.map { Bytes(joining: [$0, "\n"]) })
    let sources: [any SignalSource<Bytes, Broken>] = [subject, subject.signal]
    for source in sources { connection.send(from: source) }
}

/// A datagram socket sends any source of datagrams.
func sending(_ socket: DatagramSocket, _ subject: Subject<Datagram, Broken>) {
    socket.send(from: subject)
    socket.send(from: socket.received)
}
