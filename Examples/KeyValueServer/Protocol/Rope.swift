// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// A message, or the replies to some requests, in one or more buffers. Long values keep their own buffers, to avoid a
/// copy.
///
/// A rope is one value until it has passed every merge and every hop. So no other bytes can be sent between its
/// buffers.
struct Rope: Sendable {
    private let first: Bytes
    private let rest: [Bytes]
    /// The total number of bytes.
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

    /// All bytes in one buffer.
    var joined: Bytes { rest.isEmpty ? first : Bytes(joining: [first] + rest) }

    func send(to emitter: Emitter<Bytes, SocketError>) {
        emitter.send(first)
        for buffer in rest { emitter.send(buffer) }
    }
}

extension Signal where Value == Rope, Failure == SocketError {
    /// Sends the buffers of each rope, in order. During a pause, it retains at most the rest of one rope.
    ///
    /// - Parameter onRope: Called with the length of each rope before its buffers are sent.
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
