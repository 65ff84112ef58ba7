// SPDX-License-Identifier: MIT
import Foundation
import ReactiveSimulation

/// What the tests of this folder explore: `make interleavings COUNT=` sets the number of seeds.
extension Interleaving {
    static let explored: [Interleaving] = [.random(0.02), .random(0.2), .pct(depth: 3, points: 2_000)]
    /// For programs with few yield points. A rare order needs more stops among them.
    static let exploredBriefly: [Interleaving] = [.random(0.1), .random(0.3), .pct(depth: 8, points: 500)]
    static let seeds = 1...(UInt64(ProcessInfo.processInfo.environment["INTERLEAVINGS"] ?? "") ?? 100)
}
