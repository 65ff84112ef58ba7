// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The policy that decides when the world interrupts a thread and runs another thread of the same host.
///
/// A thread is a loop of the host, or a function of ``SimulatedHost/startThread(_:_:)``. It can be stopped at yield
/// points: before each simulated system call, before and after each locked section of the library, and in
/// ``SimulatedHost/yield()``. Only a package that is built with the trait `Simulation` has yield points at its locks.
public struct Interleaving: Sendable, Hashable, CustomStringConvertible {
    enum Policy: Sendable, Hashable {
        case wholeTurns
        case random(probability: Double)
        case pct(depth: Int, points: Int)
    }

    let policy: Policy

    /// Threads run one after the other: a loop stops at the end of its turn, another thread at a call of
    /// ``SimulatedHost/yield()``. This is the default.
    public static let wholeTurns = Interleaving(policy: .wholeTurns)

    /// A thread is stopped at each yield point with this probability. It may then stay stopped for up to a second, as
    /// on a busy machine.
    ///
    /// - Parameter probability: From 0 to 1. A usual value is 0.05.
    public static func random(_ probability: Double = 0.05) -> Interleaving {
        require((0...1).contains(probability), "a probability of \(probability) is not allowed: use 0 to 1")
        return Interleaving(policy: .random(probability: probability))
    }

    /// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, 2010): each thread has a
    /// random priority, and the runnable thread of a host with the highest priority runs. At `depth - 1` random yield
    /// points the priority of the running thread becomes the lowest, and the thread stalls for up to a second.
    ///
    /// A defect that needs `depth` ordering constraints is found with a probability of at least ``bound(threads:)`` for
    /// each seed.
    ///
    /// - Parameters:
    ///   - depth: The number of ordering constraints, at least 1. Most defects need 1 to 3.
    ///   - points: The number of yield points in a run, at least 1. ``World/yieldPoints`` counts them.
    public static func pct(depth: Int, points: Int) -> Interleaving {
        require(depth >= 1, "a depth of \(depth) is not allowed: use at least 1")
        require(points >= 1, "\(points) yield points are not allowed: use at least 1")
        return Interleaving(policy: .pct(depth: depth, points: points))
    }

    /// The least probability with which one seed finds a defect of the depth of ``pct(depth:points:)``, or nil for
    /// another policy: 1 / (threads × points^(depth − 1)).
    public func bound(threads: Int) -> Double? {
        guard case .pct(let depth, let points) = policy else { return nil }
        var bound = 1 / Double(max(1, threads))
        for _ in 1..<max(depth, 1) { bound /= Double(points) }
        return bound
    }

    /// The policy as Swift source.
    public var description: String {
        switch policy {
        case .wholeTurns: ".wholeTurns"
        case .random(let probability): ".random(\(probability))"
        case .pct(let depth, let points): ".pct(depth: \(depth), points: \(points))"
        }
    }
}
