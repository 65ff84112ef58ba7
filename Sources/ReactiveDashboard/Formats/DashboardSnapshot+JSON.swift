// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSockets

    extension DashboardSnapshot {
        /// The snapshot as JSON. Times are in seconds.
        package var json: String {
            let json: JSONText = [
                "pages": .number(pages),
                "boundsInNanoseconds": .array(TurnLengths.bounds.map { .number($0) }),
                "loops": .array(loops.map(\.json)),
                "servers": .array(servers.map(\.json)),
                "graph": graph.json,
                "problems": .array(problems.map(\.json)),
            ]
            return json.text
        }
    }

    extension DashboardSnapshot.Problem {
        fileprivate var json: JSONText { ["kind": .string(kind.rawValue), "text": .string(text)] }
    }

    extension DashboardSnapshot.LoopView {
        fileprivate var json: JSONText {
            [
                "name": .string(name),
                "lag": .number(lag),
                "responding": .bool(isResponding),
                "disposed": .bool(isDisposed),
                "timers": .number(measurements?.timers),
                "descriptors": .number(measurements?.watches),
                "signalHandlers": .number(measurements?.signalHandlers),
                "work": .number(measurements?.work),
                "turns": .number(measurements?.turns),
                "lengths": measurements?.lengths?.json ?? .null,
            ]
        }
    }

    extension TurnLengths {
        fileprivate var json: JSONText {
            [
                "counts": .array(counts.map { .number($0) }),
                "sum": .number(Double(sum) / 1e9),
                "longest": .number(Double(longest) / 1e9),
            ]
        }
    }

    extension DashboardSnapshot.ServerView {
        fileprivate var json: JSONText {
            [
                "name": .string(name),
                "address": .string(address),
                "count": .number(count),
                "accepted": .number(accepted),
                "ended": .number(ended),
                "failed": .number(failed),
                "refused": .number(refused),
                "received": .number(received),
                "sent": .number(sent),
                "connections": .array(connections.map(\.json)),
            ]
        }
    }

    extension DashboardSnapshot.ConnectionView {
        fileprivate var json: JSONText {
            [
                "id": .number(facts.id),
                "peer": .string(DashboardBounds.shortened(facts.peer?.description ?? "unknown")),
                "loop": .string(loop),
                "age": .number(DashboardSnapshot.seconds(facts.age)),
                "received": .number(facts.received),
                "sent": .number(facts.sent),
                "waiting": .number(facts.waiting),
                "full": .bool(facts.isFull),
                "receivingPaused": .bool(facts.isReceivingPaused),
            ]
        }
    }

    extension DashboardSnapshot.GraphView {
        fileprivate var json: JSONText {
            [
                "count": .number(count),
                "paused": .number(paused),
                "waiting": .number(waiting),
                "nodes": .array(nodes.map(\.json)),
            ]
        }
    }

    extension DashboardSnapshot.NodeView {
        fileprivate var json: JSONText {
            [
                "number": .number(number),
                "name": .string(name),
                "location": .string(location),
                "parent": .number(parent),
                "paused": .bool(isPaused),
                "waiting": .number(waiting),
                "values": .number(values),
                "rate": .number(rate),
                "stages": .array(stages.map(\.json)),
                "pausedFor": .number(pausedFor),
                "causes": .array(causes.map(\.json)),
            ]
        }
    }

    extension DashboardSnapshot.StageView {
        fileprivate var json: JSONText {
            [
                "name": .string(name),
                "location": .string(location),
                "values": .number(values),
                "rate": .number(rate),
            ]
        }
    }

    extension DashboardSnapshot.CauseView {
        fileprivate var json: JSONText {
            [
                "number": .number(number),
                "name": .string(name),
                "location": .string(location),
                "reason": .string(reason),
            ]
        }
    }
#endif
