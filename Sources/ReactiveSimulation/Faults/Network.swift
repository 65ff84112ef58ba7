// SPDX-License-Identifier: MIT
import ReactiveCore
public import ReactiveSockets
import ReactiveSupport

/// The network between the hosts of a ``World``: its conditions, faults and names.
///
/// Call its members on the world's thread, outside of the loops' work.
public final class Network: Sendable {
    private let kernel: SimulatedNetwork
    private let reproduction: Reproduction
    private let state: Lock<State>

    private struct State {
        var random: SimulationRandom
        var hosts: [SimulatedHost] = []
        var conditions = LinkConditions()
        var faults: [Fault] = []
        /// Every fault that has been set, including those that a reproduction leaves out.
        var allFaults: [Fault] = []
        /// The next episode of each fault, and the end of each condition.
        var timers: [any Disposable] = []
        /// The number of calls of `block` that `heal` has not ended, or of partitions. Likewise for `hold`.
        var blocked: [Link: Int] = [:]
        var held: [Link: Int] = [:]
    }

    /// A direction between two hosts, by index.
    private struct Link: Hashable {
        let source: Int
        let target: Int
    }

    init(_ kernel: SimulatedNetwork, _ reproduction: Reproduction, seed: UInt64) {
        self.kernel = kernel
        self.reproduction = reproduction
        state = Lock(State(random: SimulationRandom(seed: seed)))
    }

    /// The conditions of links between two hosts, before faults are applied. Loopback links are not affected.
    public var conditions: LinkConditions {
        get { state.withLockAtOnce { state in state.conditions } }
        set {
            state.withLockAtOnce { state in state.conditions = newValue }
            applyConditions()
        }
    }

    /// The faults. A new list replaces the old one; episodes that have begun are completed.
    public var faults: [Fault] {
        get { state.withLockAtOnce { state in state.faults } }
        set {
            let permitted = reproduction.permitted(of: newValue)
            let timers = state.withLockAtOnce { state in
                state.faults = permitted
                state.allFaults += newValue.filter { !state.allFaults.contains($0) }
                return state.timers.takeAll()
            }
            for timer in timers { timer.dispose() }
            applyConditions()
            for fault in permitted { prepare(fault) }
        }
    }

    /// Every fault that has been set, including those that a reproduction leaves out.
    var allFaults: [Fault] { state.withLockAtOnce { state in state.allFaults } }

    // MARK: Partitions and names

    /// Drops every packet that one host sends to another from now on, until ``heal(from:to:)``. The other direction is
    /// not affected.
    ///
    /// A packet that the host has sent before this call still arrives, up to a latency later. To delay such packets too,
    /// call ``hold(from:to:)``. TCP sends lost bytes again, so a connection survives a block that is shorter than its
    /// time limits. Calls nest: the link works again after as many calls of ``heal(from:to:)``.
    public func block(from source: SimulatedHost, to target: SimulatedHost) { changeBlocks(source, target, by: 1) }

    /// Ends one ``block(from:to:)``. Without one it does nothing.
    public func heal(from source: SimulatedHost, to target: SimulatedHost) { changeBlocks(source, target, by: -1) }

    /// Holds every packet from one host to another, until ``release(from:to:)``. The other direction is not affected.
    ///
    /// Packets that are travelling are held too, so nothing arrives after this call. No packet is lost: the sender can
    /// send as much as its buffers permit, and TCP does not send held bytes again, unless it has lost others before. An
    /// attempt to connect still fails after its time limit. The network with only held packets is idle. Packets that are
    /// sent during a ``block(from:to:)`` are lost and not held. Calls nest: the packets arrive after as many calls of
    /// ``release(from:to:)``.
    public func hold(from source: SimulatedHost, to target: SimulatedHost) { changeHolds(source, target, by: 1) }

    /// Ends one ``hold(from:to:)``. Without one it does nothing.
    ///
    /// The held packets arrive at the present instant, in the order in which they would have arrived. They arrive when
    /// the world runs again, and before every packet that the host sends later.
    public func release(from source: SimulatedHost, to target: SimulatedHost) { changeHolds(source, target, by: -1) }

    /// Sets the addresses of a host name, for every host. nil makes the name unknown.
    public func setAddresses(_ addresses: [SocketAddress]?, of name: String) {
        kernel.setName(name, addresses)
    }

    private func changeBlocks(_ source: SimulatedHost, _ target: SimulatedHost, by step: Int) {
        guard let isBlocked = change(\.blocked, source, target, by: step) else { return }
        kernel.setBlocked(isBlocked, from: source.kernel, to: target.kernel)
        let verb = isBlocked ? "cannot reach" : "reaches"
        kernel.recordFault("\(verb) \(target.name)", on: source.kernel.index, isEnd: step < 0)
    }

    private func changeHolds(_ source: SimulatedHost, _ target: SimulatedHost, by step: Int) {
        guard let isHeld = change(\.held, source, target, by: step) else { return }
        kernel.setHeld(isHeld, from: source.kernel, to: target.kernel)
        let state = isHeld ? "held" : "released"
        kernel.recordFault("packets to \(target.name) are \(state)", on: source.kernel.index, isEnd: step < 0)
    }

    /// Changes a count. Returns whether it is positive, or nil if it was 0 and stays 0.
    private func change(
        _ counts: any WritableKeyPath<State, [Link: Int]> & Sendable,
        _ source: SimulatedHost,
        _ target: SimulatedHost,
        by step: Int
    ) -> Bool? {
        require(
            source.world.network === self && target.world.network === self,
            "\(source.name) and \(target.name) must be hosts of this network's world"
        )
        let link = Link(source: source.kernel.index, target: target.kernel.index)
        return state.withLockAtOnce { state -> Bool? in
            let old = state[keyPath: counts][link, default: 0]
            let new = max(0, old + step)
            state[keyPath: counts][link] = new
            return new == old ? nil : new > 0
        }
    }

    // MARK: Faults

    func add(_ host: SimulatedHost) {
        state.withLockAtOnce { state in state.hosts.append(host) }
        applyConditions()
    }

    /// Releases the hosts and cancels all episodes.
    func end() {
        faults = []
        state.withLockAtOnce { state in state.hosts = [] }
    }

    private var time: Duration { SimulatedNetwork.origin.duration(to: kernel.now) }

    private func schedule(at time: Duration, _ body: @escaping @Sendable () -> Void) {
        let timer = kernel.schedule(at: SimulatedNetwork.origin + time, body)
        state.withLockAtOnce { state in
            state.timers.removeAll { $0.isDisposed }
            state.timers.append(timer)
        }
    }

    private func prepare(_ fault: Fault) {
        switch fault.kind {
        case .condition:
            for change in [fault.start, fault.end].compactMap({ $0 }) where change > time {
                schedule(at: change) { [weak self] in self?.applyConditions() }
            }
        case .episode(let episode, let every, let lasting):
            let delay = state.withLockAtOnce { state in
                Duration.nanoseconds(state.random.duration(0...(every * 2).saturatedNanoseconds))
            }
            schedule(at: max(time, fault.start) + delay) { [weak self] in
                guard let self, fault.end.map({ self.time < $0 }) ?? true else { return }
                self.begin(episode, of: fault, lasting)
                self.prepare(fault)
            }
        }
    }

    /// Sets the conditions of each link from the faults that are active now.
    private func applyConditions() {
        let (hosts, standard, faults) = state.withLockAtOnce { state in (state.hosts, state.conditions, state.faults) }
        let active = faults.filter { fault in fault.isActive(at: time) }
        for source in hosts {
            var names = 0.0
            for case .condition(.nameFailure(let probability)) in active.filter({ $0.concerns(source.name) }).map(
                \.kind
            ) {
                names = probability
            }
            source.kernel.setNameFailures(probability: names)
            for target in hosts where target !== source {
                var conditions = standard
                for fault in active where fault.concerns(source.name, target.name) { conditions.apply(fault) }
                kernel.setConditions(conditions, from: source.kernel, to: target.kernel)
            }
        }
    }

    private func begin(_ episode: Fault.Episode, of fault: Fault, _ lasting: ClosedRange<Duration>) {
        let (hosts, duration, first, second) = state.withLockAtOnce { state in
            let range = lasting.lowerBound.saturatedNanoseconds...lasting.upperBound.saturatedNanoseconds
            let hosts = state.hosts.filter { host in fault.concerns(host.name) }
            let first = state.random.below(max(1, hosts.count))
            let second = (first + 1 + state.random.below(max(1, hosts.count - 1))) % max(1, hosts.count)
            return (hosts, Duration.nanoseconds(state.random.duration(range)), first, second)
        }
        guard let host = hosts.indices.contains(first) ? hosts[first] : nil else { return }
        let end = time + duration
        switch episode {
        case .partition, .oneWayPartition:
            guard second != first else { return }
            let other = hosts[second]
            let links = episode == .partition ? [(host, other), (other, host)] : [(host, other)]
            for (source, target) in links { block(from: source, to: target) }
            finish(at: end) { network in for (source, target) in links { network.heal(from: source, to: target) } }
        case .pause:
            host.pause(for: duration)
            kernel.recordFault("pauses for \(duration.source)", on: host.kernel.index)
        case .crash:
            guard host.isRunning else { return }
            host.crash()
            finish(at: end) { _ in if !host.isRunning { host.restart() } }
        case .descriptorExhaustion:
            guard host.isRunning, !host.isExhausted else { return }
            host.isExhausted = true
            kernel.recordFault("has no descriptors", on: host.kernel.index)
            finish(at: end) { _ in host.isExhausted = false }
        }
    }

    /// Ends an episode, even if the faults are replaced before.
    private func finish(at time: Duration, _ body: @escaping @Sendable (Network) -> Void) {
        kernel.schedule(at: SimulatedNetwork.origin + time) { [weak self] in self.map(body) }
    }
}

extension LinkConditions {
    /// Sets the condition of a fault. An episode changes nothing.
    fileprivate mutating func apply(_ fault: Fault) {
        guard case .condition(let condition) = fault.kind else { return }
        switch condition {
        case .latency(let range): latency = range
        case .loss(let probability): loss = probability
        case .duplication(let probability): duplication = probability
        case .reordering(let probability): reordering = probability
        case .bandwidth(let rate): bandwidth = rate
        case .reset(let probability): reset = probability
        case .refusal(let probability): refusal = probability
        case .blackHole(let probability): blackHole = probability
        case .nameFailure: break
        }
    }
}
