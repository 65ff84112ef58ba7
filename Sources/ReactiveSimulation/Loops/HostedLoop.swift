// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerEngine
import Synchronization

/// A loop of a simulated host, as the world runs it.
final class HostedLoop: Sendable {
    let host: SimulatedHost
    let loop: SimulatedLoop
    private let set: PollSet
    /// Whether the loop is in the queue of ready loops.
    let isQueued = Atomic<Bool>(false)
    /// Whether a turn runs. The watchdog and ``mayRun(at:)`` read it.
    let isInTurn = Atomic<Bool>(false)
    /// The deadline of the loop's wait in the world's time, or `Int64.max`. Only the world's thread writes it.
    private let wakeTime = Atomic<Int64>(.max)

    var name: String { loop.name }

    init(on host: SimulatedHost, name: String) throws(LoopError) {
        self.host = host
        let ready = ReadyLoop()
        set = host.kernel.makePollSet { ready.queue() }
        loop = try LoopCreation(host: host, set: set).make { () throws(LoopError) in
            try SimulatedLoop(simulated: name, clock: host.clock, system: host.kernel)
        }
        ready.loop.withLockAtOnce { loop in loop = Weak(self) }
    }

    /// The deadline of the loop's wait, or nil.
    var deadline: LoopInstant? {
        let time = wakeTime.load(ordering: .relaxed)
        return time == .max ? nil : LoopInstant(nanoseconds: time)
    }

    /// Whether the world may run a turn at this instant. A turn whose code runs the world blocks its loop.
    func mayRun(at now: LoopInstant) -> Bool { !isInTurn.load(ordering: .relaxed) && host.mayRun(at: now) }

    /// Takes one turn as code of the host. Returns false if the loop has been stopped or disposed.
    func takeTurn() throws(LoopError) -> Bool {
        wakeTime.store(.max, ordering: .relaxed)
        isInTurn.store(true, ordering: .relaxed)
        defer { isInTurn.store(false, ordering: .relaxed) }
        let next = try host.process.run { () throws(LoopError) in try loop.simulatedTurn() }
        switch next {
        case .now?: host.world.loops.append(self)
        case .at(let reading)?:
            wakeTime.store(host.clock.instant(of: reading).nanoseconds, ordering: .relaxed)
        case .never?: break
        case nil: return false
        }
        // `onReady` is not called for descriptors that are already ready, so check here.
        if set.isReady { host.world.loops.append(self) }
        return true
    }
}

/// The host and the descriptors of a loop that is being created on this thread.
struct LoopCreation: Sendable {
    let host: SimulatedHost
    let set: PollSet
    var isGuest = false

    @TaskLocal static var current: LoopCreation?

    /// Calls `body`, which creates the loop, as code of the host.
    func make(_ body: () throws(LoopError) -> SimulatedLoop) throws(LoopError) -> SimulatedLoop {
        let made: Result<SimulatedLoop, LoopError> = Self.$current.withValue(self) {
            host.process.run { Result { () throws(LoopError) in try body() } }
        }
        return try made.get()
    }
}

/// Queues a loop that is ready. The loop is set after its poll set, which retains this object, has been created.
private final class ReadyLoop: Sendable {
    let loop = Lock<Weak<HostedLoop>?>(nil)

    func queue() {
        guard let loop = loop.withLockAtOnce({ loop in loop?.object }) else { return }
        loop.host.world.loops.append(loop)
    }
}
