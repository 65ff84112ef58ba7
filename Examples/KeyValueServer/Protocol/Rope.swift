import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// Bytes that stay together: a message, or the replies to some requests. They lie in several buffers where copying costs more.
///
/// A rope is one value until it has passed every merge and every hop, so nothing can come between its buffers.
struct Rope: Sendable {
    private let first: Bytes
    private let rest: [Bytes]
    /// How many bytes there are.
    let count: Int

    init(_ bytes: Bytes) {
        first = bytes
        rest = []
        count = bytes.count
    }

    init(_ first: Bytes, _ rest: [Bytes]) {
        self.first = first
        self.rest = rest
        count = rest.reduce(first.count) { $0 + $1.count }
    }

    /// All of it in one buffer.
    var joined: Bytes { rest.isEmpty ? first : Bytes(joining: [first] + rest) }

    func send(to emitter: Emitter<Bytes, SocketError>) {
        emitter.send(first)
        for buffer in rest { emitter.send(buffer) }
    }
}

extension Signal where Value == Rope, Failure == SocketError {
    /// Sends the buffers of each rope, one after the other; a pause keeps what is left of one rope.
    ///
    /// - Parameter onRope: is called with the length of each rope before its buffers are sent.
    func buffers(onRope: @escaping @Sendable (Int) -> Void) -> Signal<Bytes, SocketError> {
        Signal<Bytes, SocketError> { emitter, subscription in
            subscribe(
                in: subscription,
                onValue: { rope in
                    onRope(rope.count)
                    rope.send(to: emitter)
                },
                onTermination: { emitter.send(termination: $0) }
            )
        }
    }
}
