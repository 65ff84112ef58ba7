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
        let latency: ClosedRange<Int64>
        let loss: Double
        let duplication: Double
        let reordering: Double
        let bandwidth: Int?
        let reset: Double
        let refusal: Double
        let blackHole: Double
        /// Whether every packet is lost.
        var isBlocked = false
        /// When the last packet has left, if the bandwidth is limited.
        var busyUntil: Int64 = 0

        init(_ conditions: LinkConditions) {
            let lowest = max(0, conditions.latency.lowerBound.saturatedNanoseconds)
            latency = lowest...max(lowest, conditions.latency.upperBound.saturatedNanoseconds)
            loss = conditions.loss
            duplication = conditions.duplication
            reordering = conditions.reordering
            reset = conditions.reset
            refusal = conditions.refusal
            blackHole = conditions.blackHole
            bandwidth = conditions.bandwidth.map { max(1, $0) }
        }
    }

    private var conditions: [Direction: LinkConditions] = [:]
    private var blocked: Set<Direction> = []
    private var links: [Link] = []
    private var count = 0

    /// The conditions of links that have none of their own.
    var standard = LinkConditions() { didSet { rebuild(count) } }

    mutating func addHost() { rebuild(count + 1) }

    /// The link of a direction.
    @inline(__always)
    subscript(direction: Direction) -> Link {
        get { links[direction.source * count + direction.target] }
        _modify { yield &links[direction.source * count + direction.target] }
    }

    subscript(conditions direction: Direction) -> LinkConditions? {
        get { conditions[direction] }
        set {
            conditions[direction] = newValue
            let old = self[direction]
            self[direction] = makeLink(direction)
            self[direction].busyUntil = old.busyUntil
        }
    }

    mutating func setBlocked(_ direction: Direction, _ isBlocked: Bool) {
        if isBlocked { blocked.insert(direction) } else { blocked.remove(direction) }
        self[direction].isBlocked = isBlocked
    }

    private func makeLink(_ direction: Direction) -> Link {
        let ownDefault: LinkConditions = direction.source == direction.target ? .loopback : standard
        var link = Link(conditions[direction] ?? ownDefault)
        link.isBlocked = blocked.contains(direction)
        return link
    }

    private mutating func rebuild(_ newCount: Int) {
        let old = links
        let oldCount = count
        count = newCount
        links = (0..<count * count).map { place in
            let direction = Direction(place / count, place % count)
            var link = makeLink(direction)
            if direction.source < oldCount, direction.target < oldCount {
                link.busyUntil = old[direction.source * oldCount + direction.target].busyUntil
            }
            return link
        }
    }
}
