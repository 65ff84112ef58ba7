// SPDX-License-Identifier: MIT

/// How packets travel from one host to another.
///
/// TCP turns loss into delay: a lost segment is sent again after 200 ms, then after 400 ms, and so on.
public struct LinkConditions: Sendable, Hashable {
    /// The range of the time that a packet takes in one direction. The seed picks a time for each packet.
    public var latency: ClosedRange<Duration>
    /// The probability that a packet is lost, 0...1.
    public var loss: Double
    /// The probability that a datagram arrives twice, 0...1. TCP and Unix sockets are not affected.
    public var duplication: Double
    /// The probability that a datagram is delayed by up to ten more latencies, so that later ones overtake it, 0...1.
    public var reordering: Double
    /// The number of bytes per second, or nil for no limit.
    public var bandwidth: Int?

    /// The probability that a TCP segment resets its connection instead of arriving, 0...1.
    public var reset = 0.0
    /// The probability that an attempt to connect is refused, 0...1.
    public var refusal = 0.0
    /// The probability that an attempt to connect gets no answer, 0...1.
    public var blackHole = 0.0

    /// Creates the conditions of a good local network, with a latency of 50 µs to 150 µs.
    public init(
        latency: ClosedRange<Duration> = .microseconds(50) ... .microseconds(150),
        loss: Double = 0,
        duplication: Double = 0,
        reordering: Double = 0,
        bandwidth: Int? = nil
    ) {
        self.latency = latency
        self.loss = loss
        self.duplication = duplication
        self.reordering = reordering
        self.bandwidth = bandwidth
    }

    /// The conditions inside one host: a latency of 5 µs to 20 µs.
    public static let loopback = LinkConditions(latency: .microseconds(5) ... .microseconds(20))
}
