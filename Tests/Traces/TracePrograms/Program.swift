// SPDX-License-Identifier: MIT
/// A program whose trace must be the same on every loop.
package struct Program: Sendable, Equatable, CustomStringConvertible {
    /// Steps of the caller while no thread runs the loop, followed by a run.
    package struct Phase: Sendable, Equatable {
        package var steps: [Step]
        package var drive: Drive

        package init(_ steps: [Step], _ drive: Drive) {
            self.steps = steps
            self.drive = drive
        }
    }

    /// Steps of another thread at an instant, while the loop waits or is about to wait.
    package struct Arrival: Sendable, Equatable {
        package var time: Int64
        package var steps: [Step]

        package init(at time: Int64, _ steps: [Step]) {
            self.time = time
            self.steps = steps
        }
    }

    package enum Channel: Sendable, Equatable {
        /// Two ends that both read and write.
        case sockets
        /// The first end reads and the second one writes.
        case pipe
    }

    /// Channel `n` has the ends `2n` and `2n + 1`.
    package var channels: [Channel]
    package var phases: [Phase]
    package var arrivals: [Arrival]

    package init(channels: [Channel] = [], phases: [Phase], arrivals: [Arrival] = []) {
        self.channels = channels
        self.phases = phases
        self.arrivals = arrivals
    }

    /// The number of steps.
    package var count: Int {
        phases.reduce(0) { sum, phase in sum + 1 + phase.steps.count(of: \.count) }
            + arrivals.reduce(0) { sum, arrival in sum + 1 + arrival.steps.count(of: \.count) }
    }

    package var description: String {
        var lines = channels.enumerated().map { number, kind in
            "channel \(number): \(kind), ends \(2 * number) and \(2 * number + 1)"
        }
        for arrival in arrivals {
            lines.append("at \(arrival.time), on another thread")
            lines += arrival.steps.lines(indent: "    ")
        }
        for phase in phases {
            lines += phase.steps.lines()
            lines.append(phase.drive.rawValue)
        }
        return lines.joined(separator: "\n")
    }
}
