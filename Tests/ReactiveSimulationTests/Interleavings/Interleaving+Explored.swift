// SPDX-License-Identifier: MIT
import Foundation
import ReactiveSimulation

/// What the tests of this folder explore: `make interleavings COUNT=` sets the number of seeds.
extension Interleaving {
    static let explored: [Interleaving] = [.random(0.02), .random(0.2), .pct(depth: 3, points: 2_000)]
    static let seeds = 1...(UInt64(ProcessInfo.processInfo.environment["INTERLEAVINGS"] ?? "") ?? 100)
}
