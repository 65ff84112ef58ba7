// SPDX-License-Identifier: MIT

/// A failure of the code under test, with what is needed to repeat and understand it.
public struct SimulationFailure: Error, Sendable, CustomStringConvertible {
    /// The seed, and what was left out of the world.
    public let reproduction: Reproduction
    /// The world's time at the failure.
    public let time: Duration
    /// The number of steps before the failure.
    public let steps: Int
    /// The host that failed. nil if the failure belongs to no host, such as an error of `body`.
    public let host: String?
    /// The failure.
    public let error: any Error
    /// The events around the last fault, and the last events before the failure; see ``SequenceDiagram/Extent``. It is
    /// empty if `explore` found the failure without a search.
    public let diagram: SequenceDiagram
    /// The names of all hosts.
    let hosts: [String]
    /// All faults that the body has set.
    let faults: [Fault]

    /// The seed of the world.
    public var seed: UInt64 { reproduction.seed }

    /// What failed, how to repeat it, and the diagram as text.
    public var description: String {
        let place = host.map { " on host \($0)" } ?? ""
        var text = "seed \(seed) fails at \(time), step \(steps)\(place): \(error)"
        if reproduction.isReduced {
            let (kept, running) = (reproduction.faults ?? faults, hosts.filter { !reproduction.without.contains($0) })
            text += """

                It still fails with \(kept.count) of \(faults.count) faults and \(running.count) of \(hosts.count) \
                hosts. Repeat it with the same body:
                    try Simulation.run(\(reproduction)) { world in … }
                """
        } else {
            text += "\nRepeat it with the same body: try Simulation.run(seed: \(seed)) { world in … }"
        }
        if !diagram.isEmpty { text += "\nThe events that explain it best:\n\(diagram)" }
        if diagram.leftOut > 0 { text += "\nFor all events, add the argument `diagram: .whole` to the call of `run`." }
        return text
    }
}
