// SPDX-License-Identifier: MIT
import ReactiveCore

/// Events of a world, with a column for each host that takes part. Arrows show connects, data, FINs, resets and
/// datagrams, but not acknowledgements or retransmissions.
///
/// `description` is text. ``svg`` is a picture of the same events. Several packets of one kind that follow each other
/// share an arrow. Where events are left out, a line contains their number.
public struct SequenceDiagram: Sendable, Hashable, CustomStringConvertible {
    /// Which events of a run a diagram shows.
    public enum Extent: Sendable, Hashable {
        /// The last 40 events. If the last fault is earlier, the 20 events around it, and the last 20 events.
        ///
        /// A ``Reproduction`` ends the faults. Then the last fault before that end counts. Some faults, such as a
        /// latency, cause no event of their own. If there is no other fault, the events around the end of the faults are
        /// shown.
        case excerpt
        /// All events. Each takes about 100 bytes of memory until the run ends.
        case whole
    }

    /// One line.
    struct Row: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            /// A packet from one column to another one.
            case arrow(from: Int, to: Int, String)
            /// Something that happens in one column.
            case note(Int, String)
            /// The number of events that are left out here.
            case omission(Int)
        }

        let time: Duration
        let kind: Kind
    }

    /// The names of the hosts that take part.
    let columns: [String]
    let rows: [Row]

    /// Whether there are no events.
    public var isEmpty: Bool { rows.isEmpty }

    /// The number of events that are left out.
    var leftOut: Int {
        rows.reduce(0) { sum, row in if case .omission(let count) = row.kind { sum + count } else { sum } }
    }

    init(_ parts: [EventRecording.Part], of hosts: [String]) {
        let all = parts.lazy.flatMap(\.events)
        let involved = Set(all.flatMap { [$0.host, $0.peer ?? $0.host] }).sorted().filter { hosts.indices.contains($0) }
        columns = involved.map { hosts[$0] }
        let places = Dictionary(uniqueKeysWithValues: involved.enumerated().map { ($0.element, $0.offset) })
        rows = parts.flatMap { part in
            let rows = Self.merged(part.events).compactMap { Self.row($0, $1, places) }
            guard part.leftOut > 0, let first = rows.first else { return rows }
            return [Row(time: first.time, kind: .omission(part.leftOut))] + rows
        }
    }

    private static func row(_ event: TraceEvent, _ count: Int, _ places: [Int: Int]) -> Row? {
        guard let place = places[event.host] else { return nil }
        let time = SimulatedNetwork.origin.duration(to: event.time)
        let label = count > 1 ? "\(event.label), \(count) times" : event.label
        guard event.isPacket, let peer = event.peer.flatMap({ places[$0] }), peer != place else {
            return Row(time: time, kind: .note(place, label))
        }
        return Row(time: time, kind: .arrow(from: place, to: peer, label))
    }

    /// Joins packets of one kind that follow each other. Returns each with the number of joined events.
    private static func merged(_ events: [TraceEvent]) -> [(TraceEvent, Int)] {
        var merged: [(event: TraceEvent, count: Int)] = []
        for event in events {
            if let last = merged.last?.event, last.kind == event.kind, last.host == event.host,
                last.peer == event.peer, last.text == event.text
            {
                merged[merged.count - 1].event.count += event.count
                merged[merged.count - 1].count += 1
            } else {
                merged.append((event, 1))
            }
        }
        return merged
    }
}

extension TraceEvent {
    /// Whether the event is a packet that travels from the host to its peer.
    fileprivate var isPacket: Bool {
        switch kind {
        case .connects, .refuses, .sends, .finishes, .resets, .datagram: true
        default: false
        }
    }

    /// The event in a few words.
    fileprivate var label: String {
        switch kind {
        case .accepts, .closes, .restarts, .exits: kind.rawValue
        case .connects: "connect"
        case .refuses: "refused"
        case .sends: "\(count) B"
        case .finishes: count > 0 ? "\(count) B, end" : "end"
        case .resets: "RESET"
        case .loses: "packet lost"
        case .times: "times out"
        case .datagram: "datagram, \(count) B"
        case .crashes: "CRASHES"
        case .signals: "signal \(count)"
        case .fault: text
        }
    }
}
