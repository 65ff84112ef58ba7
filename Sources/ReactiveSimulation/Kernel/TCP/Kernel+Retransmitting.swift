// SPDX-License-Identifier: MIT
import Glibc

extension Kernel {
    private static var firstTimeout: Int64 { 200_000_000 }
    private static var largestTimeout: Int64 { 120 * second }
    /// The number of retransmissions before the connection fails (`tcp_retries2`): after 924 s.
    private static var largestCount: Int { 15 }

    /// Starts the retransmission timer after a loss, unless it is running.
    mutating func armRetransmission(_ stream: ByteStream) {
        guard case .idle = stream.retransmission, case .connected = stream.sender.phase else { return }
        arm(stream, attempt: 0, since: now)
    }

    mutating func disarmRetransmission(_ stream: ByteStream) {
        if case .armed(_, _, let timer) = stream.retransmission {
            timeline.cancel(timer)
            stream.retransmission = .idle
        }
    }

    /// The timer expires: everything that has been sent is sent again.
    mutating func retransmit(_ stream: ByteStream) {
        guard case .armed(let attempt, let since, _) = stream.retransmission else { return }
        stream.retransmission = .idle
        let sender = stream.sender
        guard case .connected = sender.phase else { return }
        let userTimeout = Int64(sender.options.userTimeout) * 1_000_000
        if attempt >= Self.largestCount || userTimeout > 0 && now - since >= userTimeout {
            record(.times, sender.host, peer: stream.direction.target)
            return end(sender, .aborted, ETIMEDOUT)
        }
        arm(stream, attempt: attempt + 1, since: since)
        // The timer stays armed until an acknowledgement arrives.
        send(.segment(stream, end: stream.sent), on: stream, count: stream.sent - stream.acknowledged)
    }

    private mutating func arm(_ stream: ByteStream, attempt: Int, since: Int64) {
        var delay = min(Self.firstTimeout << Int64(min(attempt, 20)), Self.largestTimeout)
        let userTimeout = Int64(stream.sender.options.userTimeout) * 1_000_000
        if userTimeout > 0 { delay = min(delay, max(0, since + userTimeout - now)) }
        let timer = timeline.add(.retransmission(stream), at: now + delay)
        stream.retransmission = .armed(attempt: attempt, since: since, timer: timer)
    }
}
