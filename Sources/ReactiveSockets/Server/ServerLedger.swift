// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The connections and counters of a server.
struct ServerLedger {
    private(set) var phase = ServerState.serving
    /// The numbers of the open listening sockets.
    private var listeners: Set<Int>
    private(set) var served = ServedConnections()
    /// Connections that a loop accepted after another loop had reached the limit. They are served next. There is at
    /// most one for each listening socket.
    private var waiting = FIFO<Connection>()
    private var perAddress: [[UInt8]: Int] = [:]
    /// Counts the connections that each address opens.
    private var rates: TokenBuckets<AddressPrefix>?
    /// The pauses of listening sockets while the limit is reached.
    var pauses: [any Disposable] = []
    var totals = ServerTotals()
    var isPublishDue = false
    private var sharing: Sharing
    /// Whether the grace period is over. Then no further peer is served.
    private var isOver = false

    init(listeners: Int, _ limits: ServerLimits, sharesSockets: Bool) {
        self.listeners = Set(0..<listeners)
        sharing = sharesSockets ? .shared : .none
        rates = limits.connectionRatePerAddress.map { TokenBuckets($0) }
    }

    /// Whether another process accepts from the same sockets.
    private enum Sharing {
        case none
        /// A process has the sockets, and has not acknowledged them.
        case offered
        case shared
    }

    /// Whether a peer that has been accepted is served even after the drain has begun, because another process has the
    /// same sockets, and cannot serve that peer.
    var sharesSockets: Bool { sharing != .none }

    mutating func beginOffer() {
        if sharing == .none { sharing = .offered }
    }

    /// A drain that has begun during the offer continues as it has begun.
    mutating func endOffer() {
        if sharing == .offered, phase == .serving { sharing = .none }
    }

    mutating func share() { sharing = .shared }

    enum Verdict {
        case wait, refuse, tooLate
        case serve(ServedConnections.Entry)
    }

    func isFull(_ limits: ServerLimits) -> Bool {
        guard let limit = limits.maxConnections else { return false }
        return served.count >= limit
    }

    mutating func admit(_ connection: Connection, at now: LoopInstant, _ limits: ServerLimits) -> Verdict {
        guard phase == .serving || sharesSockets && phase == .draining && !isOver else { return .tooLate }
        if rates != nil, let prefix = connection.remoteAddress.flatMap({ AddressPrefix($0) }),
            rates?.take(for: prefix, at: now) == false
        {
            totals.refused += 1
            return .refuse
        }
        if let limit = limits.maxConnectionsPerAddress, let key = Self.key(connection) {
            if perAddress[key, default: 0] >= limit {
                totals.refused += 1
                return .refuse
            }
            perAddress[key, default: 0] += 1
        }
        if isFull(limits) {
            waiting.append(connection)
            return .wait
        }
        return .serve(served.add(connection, at: now))
    }

    /// Records that the loop of the connection begins to serve it.
    mutating func serve(_ entry: ServedConnections.Entry) {
        totals.accepted += 1
        served.serve(entry)
    }

    /// Records that the connection ends. Returns when it was accepted and whether it has been served, or nil if another
    /// caller ends it.
    mutating func end(_ entry: ServedConnections.Entry) -> (begin: LoopInstant, wasServed: Bool)? {
        served.end(entry).map { wasServed in (served.begin(in: entry.slot), wasServed) }
    }

    /// Removes a connection that has ended. Without a summary it was not served. Returns the connection to serve next,
    /// and the pauses to dispose.
    mutating func release(
        _ entry: ServedConnections.Entry,
        _ summary: ConnectionSummary?,
        at now: LoopInstant,
        _ limits: ServerLimits
    ) -> (next: ServedConnections.Entry?, pauses: [any Disposable]) {
        served.remove(entry)
        if let summary {
            totals.ended += 1
            if summary.failure != nil { totals.failed += 1 }
            totals.received += summary.received
            totals.sent += summary.sent
        }
        leave(entry.connection, limits)
        let next = waiting.popFirst().map { next in served.add(next, at: now) }
        stopIfNothingIsLeft()
        return (next, isFull(limits) ? [] : pauses.takeAll())
    }

    /// Begins to drain. Returns the waiting connections, which are not served any more.
    mutating func beginDraining() -> (isFirst: Bool, waiting: [Connection]) {
        guard phase == .serving else { return (false, []) }
        phase = .draining
        let left = sharesSockets ? [] : waiting.takeAll()
        stopIfNothingIsLeft()
        return (true, left)
    }

    /// Removes and returns the waiting connections, which are not served any more.
    mutating func takeWaiting() -> [Connection] {
        isOver = true
        let left = waiting.takeAll()
        stopIfNothingIsLeft()
        return left
    }

    /// Removes and returns the waiting connections of a loop that has been disposed.
    mutating func takeWaiting(of loop: any LoopScheduler, _ limits: ServerLimits) -> [Connection] {
        let all = waiting.takeAll()
        waiting.append(contentsOf: all.filter { connection in connection.loop !== loop })
        let lost = all.filter { connection in connection.loop === loop }
        for connection in lost { leave(connection, limits) }
        stopIfNothingIsLeft()
        return lost
    }

    mutating func listenerClosed(_ number: Int) {
        listeners.remove(number)
        stopIfNothingIsLeft()
    }

    private mutating func stopIfNothingIsLeft() {
        if phase == .draining, served.isEmpty, waiting.isEmpty, listeners.isEmpty { phase = .stopped }
    }

    private mutating func leave(_ connection: Connection, _ limits: ServerLimits) {
        guard limits.maxConnectionsPerAddress != nil, let key = Self.key(connection), let count = perAddress[key] else {
            return
        }
        perAddress[key] = count > 1 ? count - 1 : nil
    }

    private static func key(_ connection: Connection) -> [UInt8]? {
        guard let address = connection.remoteAddress, address.family != .unix else { return nil }
        return address.number.unmapped.bytes
    }
}
