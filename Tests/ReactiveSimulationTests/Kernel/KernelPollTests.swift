// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import ReactiveSupport
import Testing

@testable import ReactiveSimulation

@Suite struct KernelPollTests {
    @Test("Events run in the order of their time, and of their calls at the same time")
    func timeline() {
        let network = SimulatedNetwork(seed: 1)
        let order = Lock<[Int]>([])
        for (index, delay) in [30, 10, 20, 10, 0].enumerated() {
            network.schedule(at: network.now + .milliseconds(delay)) { order.withLock { $0.append(index) } }
        }
        let cancelled = network.schedule(at: network.now) { order.withLock { $0.append(9) } }
        cancelled.dispose()
        #expect(network.nextEvent == network.now)
        network.advance(to: network.now + .milliseconds(10))
        #expect(order.withLock { $0 } == [4, 1, 3])
        network.advance(to: network.now + .seconds(1))
        #expect(order.withLock { $0 } == [4, 1, 3, 2, 0])
        #expect(network.nextEvent == nil)
    }

    @Test("A closure sees its own instant, and may call the network")
    func nestedSchedule() {
        let network = SimulatedNetwork(seed: 1)
        let seen = Lock<[LoopInstant]>([])
        let start = network.now
        network.schedule(at: start + .seconds(1)) {
            seen.withLock { $0.append(network.now) }
            network.schedule(at: network.now + .seconds(1)) { seen.withLock { $0.append(network.now) } }
        }
        network.advance(to: start + .seconds(5))
        #expect(seen.withLock { $0 } == [start + .seconds(1), start + .seconds(2)])
        #expect(network.now == start + .seconds(5))
    }

    @Test("Descriptors are reused, lowest first, up to the limit")
    func descriptors() {
        let lab = KernelLab(descriptorLimit: 3)
        let first = SimulatedDescriptors.first
        #expect((0..<3).map { _ in lab.client.openEvent() } == [first, first + 1, first + 2])
        #expect(lab.client.openEvent() == -EMFILE)
        #expect(lab.client.open(.stream, .ipv4) == -EMFILE)
        lab.client.closeEvent(first + 1)
        lab.client.closeEvent(first)
        #expect(lab.client.open(.stream, .ipv4) == first)
        #expect(lab.client.openEvent() == first + 1)
        #expect(lab.server.openEvent() == first, "each host has its own table")
    }

    @Test("A set reports ready descriptors until they are no longer ready")
    func level() {
        let lab = KernelLab()
        let calls = Lock(0)
        let set = lab.client.makePollSet { calls.withLock { $0 += 1 } }
        let events = (0..<4).map { _ in lab.client.openEvent() }
        for (token, event) in events.enumerated() { #expect(set.register(event, .read, token: UInt64(token)) == 0) }
        #expect(!set.isReady)
        #expect(tokens(set) == [])
        lab.client.signalEvent(events[2])
        lab.client.signalEvent(events[2])
        lab.client.signalEvent(events[0])
        #expect(calls.withLock { $0 } == 1)
        #expect(set.isReady)
        #expect(tokens(set) == [0, 2])
        #expect(tokens(set) == [0, 2])
        lab.client.clearEvent(events[0])
        #expect(tokens(set) == [2])
        lab.client.clearEvent(events[2])
        #expect(!set.isReady)
        lab.client.signalEvent(events[3])
        #expect(calls.withLock { $0 } == 2)
    }

    @Test("Registration fails as with epoll")
    func errors() {
        let lab = KernelLab()
        let set = lab.client.makePollSet {}
        let event = lab.client.openEvent()
        #expect(set.register(0, .read, token: 1) == EBADF)
        #expect(set.register(event + 1, .read, token: 1) == EBADF)
        #expect(set.modify(event, .read, token: 1) == ENOENT)
        #expect(set.deregister(event) == ENOENT)
        #expect(set.register(event, .read, token: 1) == 0)
        #expect(set.register(event, .read, token: 1) == EEXIST)
        lab.client.signalEvent(event)
        #expect(set.modify(event, [], token: 2) == 0)
        #expect(!set.isReady, "an empty interest reports nothing")
        #expect(set.modify(event, .read, token: 3) == 0)
        #expect(tokens(set) == [3])
        lab.client.closeEvent(event)
        #expect(!set.isReady)
        #expect(set.modify(event, .read, token: 1) == EBADF)
        #expect(set.deregister(event) == ENOENT)
        #expect(lab.client.openEvent() == event)
        #expect(!set.isReady, "the next descriptor with the number is not registered")
    }

    @Test("A limit leaves the other ready descriptors for later, in an order of the seed")
    func limits() {
        var orders: Set<[UInt64]> = []
        for seed in 1...8 as ClosedRange<UInt64> {
            let lab = KernelLab(seed: seed)
            let set = lab.client.makePollSet {}
            for token in 0..<10 as Range<UInt64> {
                let event = lab.client.openEvent()
                lab.client.signalEvent(event)
                #expect(set.register(event, .read, token: token) == 0)
            }
            var reports: [PollSet.Report] = []
            set.collect(limit: 4, into: &reports)
            #expect(Set(reports.map(\.token)).count == 4)
            orders.insert(reports.map(\.token))
        }
        #expect(orders.count > 4)
    }

    @Test("If a descriptor is closed, the others are still reported before any of them again")
    func closedAmongMany() {
        let lab = KernelLab(descriptorLimit: 400)
        let set = lab.client.makePollSet {}
        let events = (0..<300 as Range<UInt64>).map { token in
            let event = lab.client.openEvent()
            lab.client.signalEvent(event)
            #expect(set.register(event, .read, token: token) == 0)
            return event
        }
        #expect(tokens(set) == [UInt64](0..<128))
        lab.client.closeEvent(events[128])
        #expect(tokens(set) == [UInt64](129..<257))
        let (first, last) = ([UInt64](0..<85), [UInt64](257..<300))
        #expect(tokens(set) == first + last)
    }

    @Test("A process signal signals the descriptors that listen to it")
    func signals() {
        let lab = KernelLab()
        let event = lab.client.openEvent()
        #expect(lab.client.addListener(event, to: SIGKILL) == EINVAL)
        #expect(lab.client.addListener(event, to: SIGTERM) == 0)
        lab.client.raise(SIGINT)
        #expect(lab.client.readiness(event) == .write)
        lab.client.raise(SIGTERM)
        #expect(lab.client.readiness(event) == [.read, .write])
        lab.client.clearEvent(event)
        lab.client.removeListener(event, of: SIGTERM)
        lab.client.raise(SIGTERM)
        #expect(lab.client.readiness(event) == .write)
    }

    private func tokens(_ set: PollSet) -> [UInt64] {
        var reports: [PollSet.Report] = []
        set.collect(into: &reports)
        return reports.map(\.token).sorted()
    }
}
