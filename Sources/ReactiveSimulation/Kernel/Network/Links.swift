// SPDX-License-Identifier: MIT
import ReactiveCore

/// The conditions of every ordered pair of hosts, in a form that is fast to use for each packet.
struct Links {
    /// The direction from one host to another.
    struct Direction: Hashable {
        let source: Int
        let target: Int

        init(_ source: Int, _ target: Int) {
            self.source = source
            self.target = target
        }

        var reversed: Direction { Direction(target, source) }
    }

    /// One direction between two hosts.
    struct Link {
        /// The conditions that apply.
        fileprivate(set) var conditions = LinkConditions()
        /// The range of the latency in nanoseconds.
        fileprivate(set) var latency: ClosedRange<Int64> = 0...0
        /// Whether every packet is lost.
        var isBlocked = false
        /// When the last packet has left, if the bandwidth is limited.
        var busyUntil: Int64 = 0
    }

    /// The conditions of the directions that have their own.
    private var own: [Direction: LinkConditions] = [:]
    /// The links by source, then by target.
    private var links: [[Link]] = []

    /// The conditions of links that have none of their own.
    var standard = LinkConditions() { didSet { updateAll() } }

    mutating func addHost() {
        for source in links.indices { links[source].append(Link()) }
        links.append(Array(repeating: Link(), count: links.count + 1))
        updateAll()
    }

    /// The link of a direction.
    @inline(__always)
    subscript(direction: Direction) -> Link {
        get { links[direction.source][direction.target] }
        _modify { yield &links[direction.source][direction.target] }
    }

    mutating func setConditions(_ conditions: LinkConditions?, _ direction: Direction) {
        own[direction] = conditions
        update(direction)
    }

    private mutating func updateAll() {
        for source in links.indices { for target in links.indices { update(Direction(source, target)) } }
    }

    private mutating func update(_ direction: Direction) {
        let conditions = own[direction] ?? (direction.source == direction.target ? .loopback : standard)
        self[direction].conditions = conditions
        self[direction].latency = conditions.latencyInNanoseconds
    }
}

extension LinkConditions {
    /// The range of the latency in nanoseconds.
    var latencyInNanoseconds: ClosedRange<Int64> {
        let lowest = max(0, latency.lowerBound.saturatedNanoseconds)
        return lowest...max(lowest, latency.upperBound.saturatedNanoseconds)
    }
}
