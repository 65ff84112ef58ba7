// SPDX-License-Identifier: MIT
import ReactiveCore

/// The recorded events of a run: all of them, or an excerpt.
///
/// The excerpt contains the events around one fault, and the last events before the end. The fault is the last one that
/// happened before the faults ended. After a search, this is the fault that the failure needs, because the search has
/// ended the faults as early as possible. If no event shows a fault, the excerpt contains the events around the end of
/// the faults.
struct EventRecording {
    /// Consecutive events.
    struct Part: Sendable, Hashable {
        /// The number of events between the last part and this one.
        let leftOut: Int
        let events: [TraceEvent]
    }

    /// The number of events in an excerpt.
    private static let limit = 40
    /// The number of events around the fault, if they are not among the last ones. As many last events are kept then.
    private static let half = 20

    private let extent: SequenceDiagram.Extent
    /// When the faults end. nil if they do not end.
    private let faultsEnd: LoopInstant?
    /// The number of all events.
    private var count = 0
    /// The last events. An excerpt has at most twice as many as it needs, so that their removal is cheap.
    private var last: [TraceEvent] = []
    /// The events around the fault, and the number of the first one, which counts from 0.
    private var around: (first: Int, events: [TraceEvent])?

    init(_ extent: SequenceDiagram.Extent, faultsEnd: LoopInstant?) {
        self.extent = extent
        self.faultsEnd = faultsEnd
    }

    mutating func record(_ event: TraceEvent, isFault: Bool) {
        if extent == .excerpt {
            if isCentre(event, isFault) {
                let before = last.suffix(Self.half / 2)
                around = (count - before.count, Array(before))
            }
            if let kept = around?.events.count, kept < Self.half { around?.events.append(event) }
            if last.count == 2 * Self.limit { last.removeFirst(Self.limit) }
        }
        last.append(event)
        count += 1
    }

    /// Whether the excerpt shows the events around this one, instead of those around an earlier one.
    private func isCentre(_ event: TraceEvent, _ isFault: Bool) -> Bool {
        guard let faultsEnd, event.time >= faultsEnd else { return isFault }
        return around == nil
    }

    /// The recorded events, oldest first.
    var parts: [Part] {
        let newest = extent == .whole ? last : last.suffix(Self.limit)
        let first = count - newest.count
        guard let around, around.first < first else { return [Part(leftOut: first, events: newest)] }
        let end = around.first + around.events.count
        return [
            Part(leftOut: around.first, events: around.events),
            Part(leftOut: count - Self.half - end, events: last.suffix(Self.half)),
        ]
    }
}
