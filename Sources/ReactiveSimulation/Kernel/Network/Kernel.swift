// SPDX-License-Identifier: MIT
import ReactiveSockets
import ReactiveSupport

/// The state of the simulated kernels of all hosts. Only the holder of the network's lock uses it.
struct Kernel {
    /// The present instant, in nanoseconds.
    var now: Int64
    /// The generator of every random choice.
    var random: SimulationRandom
    /// A part of the seed that decides which socket of a group receives a flow.
    let flowSeed: UInt64
    var timeline = Timeline()
    var links = Links()
    /// The packets of each direction that is held, in the order of their arrival.
    var held: [Links.Direction: [KernelEvent]] = [:]
    var hosts: [Host] = []
    /// The host of each routable address.
    var routes: [IPAddress: Int] = [:]
    /// The addresses of each name. Their ports are ignored.
    var names: [String: [SocketAddress]] = [:]
    var tuning = KernelTuning()
    var trace = Trace()

    init(seed: UInt64, now: Int64) {
        random = SimulationRandom(seed: seed)
        flowSeed = seed
        self.now = now
    }

    /// Decides when a packet of `count` bytes that is sent now arrives. nil if it is lost.
    mutating func arrival(_ direction: Links.Direction, count: Int = 0) -> Int64? {
        let link = links[direction]
        if link.isBlocked { return nil }
        if random.happens(link.conditions.loss) { return nil }
        var start = now
        if let bandwidth = link.conditions.bandwidth {
            let (product, overflow) = count.multipliedReportingOverflow(by: 1_000_000_000)
            start = max(now, link.busyUntil) + (overflow ? Int64.max / 4 : Int64(product / max(1, bandwidth)))
            links[direction].busyUntil = start
        }
        let (time, overflow) = start.addingReportingOverflow(random.duration(link.latency))
        return overflow ? .max : time
    }

    /// Holds the packets of a direction that arrive from now on, or lets the held ones arrive now.
    mutating func setHeld(_ direction: Links.Direction, _ isHeld: Bool) {
        if isHeld {
            held[direction] = held[direction] ?? []
        } else {
            // Before every event that is due now: another packet of the direction may be among them.
            for event in held.removeValue(forKey: direction) ?? [] { timeline.add(event, at: now - 1) }
        }
    }

    /// Performs one event. Returns the closure of an event that must be called without the lock.
    mutating func perform(_ event: KernelEvent) -> ScheduledWork? {
        if !held.isEmpty, let direction = event.direction, held[direction] != nil {
            held[direction]?.append(event)
            return nil
        }
        switch event {
        case .body(let body): return body
        case .segment(let stream, let end): receiveSegment(stream, end: end)
        case .acknowledgement(let stream, let end, let edge): receiveAcknowledgement(stream, end: end, edge: edge)
        case .retransmission(let stream): retransmit(stream)
        case .syn(let client, let host): receiveRequest(client, host)
        case .synTimer(let client): repeatRequest(client)
        case .connectFailure(let client, let errno): fail(client, errno)
        case .synAck(let pair): receiveAnswer(pair)
        case .handshakeAck(let server): if hosts[server.host].isUp { confirm(server) }
        case .handshakeAckTimer(let pair, let attempt): sendConfirmation(pair, attempt: attempt)
        case .handshakeExpiry(let server): dropHandshake(server)
        case .packet(let packet): receive(packet)
        case .expiration(let timer): expire(timer)
        case .unreachable(let packet): receiveUnreachable(packet)
        case .reset(let socket, let pair): receiveReset(socket, pair)
        }
        return nil
    }
}

/// The probabilities of choices that a real kernel makes for reasons that programs cannot see.
struct KernelTuning: Sendable, Hashable {
    /// The probability that a read returns fewer bytes than it could.
    var partialReads = 0.1
    /// The probability that bytes that were sent together arrive in more than one segment.
    var segmentation = 0.1
}
