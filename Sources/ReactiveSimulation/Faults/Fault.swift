// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Describes a fault of a simulated network or host.
///
/// ```swift
/// world.network.faults = [
///     .partition(every: .seconds(30)),
///     .reset(probability: 0.001).between("client", "server"),
///     .latency(.milliseconds(1) ... .seconds(2)).until(.seconds(600)),
/// ]
/// ```
///
/// A fault concerns all hosts and links, unless ``on(_:)`` or ``between(_:_:)`` restricts it. It concerns the whole
/// run, unless ``from(_:)`` or ``until(_:)`` restricts it. Several faults act together. If two set the same condition,
/// the later one in the list applies. Conditions of links do not apply inside one host.
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// A condition that holds all the time.
    enum Condition: Hashable {
        case latency(ClosedRange<Duration>)
        case loss(Double)
        case duplication(Double)
        case reordering(Double)
        case bandwidth(Int)
        case reset(Double)
        case refusal(Double)
        case blackHole(Double)
        case nameFailure(Double)
    }

    /// An event that happens again and again, and lasts for some time.
    enum Episode: Hashable { case partition, oneWayPartition, pause, crash, descriptorExhaustion }

    enum Kind: Hashable {
        case condition(Condition)
        case episode(Episode, every: Duration, lasting: ClosedRange<Duration>)
    }

    /// The hosts that a fault concerns.
    enum Scope: Hashable {
        case everything
        case host(String)
        case pair(String, String)
    }

    let kind: Kind
    var scope = Scope.everything
    var start = Duration.zero
    var end: Duration?
    private let source: String

    private init(_ condition: Condition, _ source: String) {
        kind = .condition(condition)
        self.source = source
    }

    private init(_ episode: Episode, _ every: Duration, _ lasting: ClosedRange<Duration>, _ name: String) {
        require(every > .zero, "a fault that happens every \(every) is not allowed: the duration must be positive")
        kind = .episode(episode, every: every, lasting: lasting)
        source = ".\(name)(every: \(every.source), lasting: \(lasting.source))"
    }

    // MARK: Conditions of links

    /// Each packet takes a time in this range. The seed picks it.
    public static func latency(_ range: ClosedRange<Duration>) -> Fault {
        Fault(.latency(range), ".latency(\(range.source))")
    }

    /// Packets are lost. TCP sends them again after 200 ms and more. A datagram is gone.
    public static func loss(probability: Double) -> Fault {
        Fault(.loss(probability), ".loss(probability: \(probability))")
    }

    /// Datagrams arrive twice.
    public static func duplication(probability: Double) -> Fault {
        Fault(.duplication(probability), ".duplication(probability: \(probability))")
    }

    /// Datagrams are delayed by up to ten latencies, so later ones overtake them.
    public static func reordering(probability: Double) -> Fault {
        Fault(.reordering(probability), ".reordering(probability: \(probability))")
    }

    /// A link carries this number of bytes per second in each direction. Less than 1 counts as 1.
    public static func bandwidth(bytesPerSecond: Int) -> Fault {
        Fault(.bandwidth(bytesPerSecond), ".bandwidth(bytesPerSecond: \(bytesPerSecond))")
    }

    /// A TCP segment resets its connection instead of arriving.
    public static func reset(probability: Double) -> Fault {
        Fault(.reset(probability), ".reset(probability: \(probability))")
    }

    /// An attempt to connect is refused, although a socket listens.
    public static func refusedConnects(probability: Double) -> Fault {
        Fault(.refusal(probability), ".refusedConnects(probability: \(probability))")
    }

    /// An attempt to connect gets no answer.
    public static func blackHoledConnects(probability: Double) -> Fault {
        Fault(.blackHole(probability), ".blackHoledConnects(probability: \(probability))")
    }

    /// A look-up of a host name fails with `unknownHost`.
    public static func nameFailures(probability: Double) -> Fault {
        Fault(.nameFailure(probability), ".nameFailures(probability: \(probability))")
    }

    // MARK: Episodes

    /// Two random hosts cannot reach each other for a while. TCP connections survive unless a timeout is shorter than
    /// the partition. A packet that has been sent before the partition still arrives.
    ///
    /// - Parameters:
    ///   - every: The mean time between the beginnings of two episodes. It must be positive.
    ///   - lasting: The range of the duration of one episode.
    public static func partition(
        every: Duration,
        lasting: ClosedRange<Duration> = .milliseconds(100) ... .seconds(10)
    ) -> Fault {
        Fault(.partition, every, lasting, "partition")
    }

    /// The packets that one random host sends to another one are lost for a while, but not those in the other direction.
    public static func oneWayPartition(
        every: Duration,
        lasting: ClosedRange<Duration> = .milliseconds(100) ... .seconds(10)
    ) -> Fault {
        Fault(.oneWayPartition, every, lasting, "oneWayPartition")
    }

    /// The process of a random host does not run for a while. Its kernel still answers.
    public static func pause(
        every: Duration,
        lasting: ClosedRange<Duration> = .milliseconds(10) ... .seconds(2)
    ) -> Fault {
        Fault(.pause, every, lasting, "pause")
    }

    /// A random host crashes, and is restarted after a while.
    public static func crash(every: Duration, lasting: ClosedRange<Duration> = .seconds(1) ... .seconds(30)) -> Fault {
        Fault(.crash, every, lasting, "crash")
    }

    /// The process of a random host can open no descriptor for a while (`EMFILE`).
    public static func descriptorExhaustion(
        every: Duration,
        lasting: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5)
    ) -> Fault {
        Fault(.descriptorExhaustion, every, lasting, "descriptorExhaustion")
    }

    // MARK: Restrictions

    /// The fault on one host. For a condition of links, this means all links from and to it.
    public func on(_ host: String) -> Fault { with { $0.scope = .host(host) } }

    /// The fault on the link between two hosts, in both directions. An episode of a single host picks one of the two.
    public func between(_ first: String, _ second: String) -> Fault { with { $0.scope = .pair(first, second) } }

    /// The fault from this time of the world on.
    public func from(_ start: Duration) -> Fault { with { $0.start = start } }

    /// The fault until this time of the world. An episode that has begun is completed.
    public func until(_ end: Duration) -> Fault { with { $0.end = end } }

    private func with(_ change: (inout Fault) -> Void) -> Fault {
        var fault = self
        change(&fault)
        return fault
    }

    /// The fault as Swift source, such as `.reset(probability: 0.001).on("server")`.
    public var description: String {
        var text = source
        switch scope {
        case .everything: break
        case .host(let name): text += ".on(\"\(name)\")"
        case .pair(let one, let other): text += ".between(\"\(one)\", \"\(other)\")"
        }
        if start > .zero { text += ".from(\(start.source))" }
        if let end { text += ".until(\(end.source))" }
        return text
    }

    func isActive(at time: Duration) -> Bool { time >= start && end.map { time < $0 } ?? true }

    /// Whether the fault concerns the link between two hosts.
    func concerns(_ first: String, _ second: String) -> Bool {
        switch scope {
        case .everything: true
        case .host(let name): name == first || name == second
        case .pair(let one, let other): first == one && second == other || first == other && second == one
        }
    }

    /// Whether a single-host episode may pick this host.
    func concerns(_ host: String) -> Bool {
        switch scope {
        case .everything: true
        case .host(let name): name == host
        case .pair(let one, let other): host == one || host == other
        }
    }
}

extension ClosedRange<Duration> {
    /// The range as Swift source.
    fileprivate var source: String { "\(lowerBound.source) ... \(upperBound.source)" }
}
