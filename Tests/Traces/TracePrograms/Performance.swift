// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance

/// One run of a program on one loop, with everything that the program created.
final class Performance: Sendable {
    /// A program with more calls is stopped, because repetitions may be nested.
    private static let mostCalls = 600

    private let loop: any LoopScheduler
    private let time: SimulatedTime
    private let world: World
    private let hand: Hand
    private let home = threadIdentity()
    private let trace = Lock(Trace())
    /// The object that a step created, by the number of the step.
    private let made = Lock<[Int: any Disposable]>([:])
    /// All watches of an end. A step in the body of a watch or of a repetition creates several with one number.
    private let watches = Lock<[Int: [any DescriptorWatch]]>([:])
    private let calls = Box(0)
    private let closures = Box(0)
    /// The runs in progress, including those that are about to be refused.
    private let runs = Box(0)

    private init(_ loop: any LoopScheduler, _ time: SimulatedTime, _ world: World, _ hand: Hand) {
        self.loop = loop
        self.time = time
        self.world = world
        self.hand = hand
    }

    static func trace(of program: Program, on kind: TraceLoop, hand: Hand) throws -> Trace {
        let time = SimulatedTime(arrivals: program.arrivals, hand: hand)
        let loop = try kind.make(time)
        let world = World(program.channels, time)
        let performance = Performance(loop, time, world, hand)
        time.onArrival { steps in performance.perform(steps) }
        for phase in program.phases {
            performance.perform(phase.steps)
            performance.run(phase.drive)
        }
        time.onArrival(nil)
        performance.finish()
        world.closeAll()
        return performance.trace.withLock { trace in trace }
    }

    private func note(_ what: String) {
        let entry = Trace.Entry(time: time.now.nanoseconds, turn: loop.isCurrent ? loop.turn : 0, what: what)
        trace.withLock { trace in trace.entries.append(entry) }
    }

    private func run(_ drive: Drive) {
        // A run on the other thread would only be refused, and all arrivals need that thread.
        if isBrokenOff || hand.isHere && runs.value == 0 { return }
        runs.increment()
        defer { runs.update { runs in runs -= 1 } }
        do {
            switch drive {
            case .untilStopped: try loop.run()
            case .untilIdle: try loop.runUntilIdle()
            case .waiting: try loop.runOnce(waiting: true)
            case .polling: try loop.runOnce(waiting: false)
            }
            note("\(drive.rawValue) returns")
        } catch {
            note("\(drive.rawValue): \(error.code == .systemCall ? error.message : "\(error.code)")")
        }
    }

    private func finish() {
        loop.dispose()
        let left = made.withLock { made in made.filter { !$0.value.isDisposed }.keys.sorted() }
        note("the end; not over: \(left); closures left: \(closures.value)")
        made.withLock { made in made = [:] }
        watches.withLock { watches in watches = [:] }
    }

    // MARK: Steps

    private var isBrokenOff: Bool { calls.value > Self.mostCalls }

    private func perform(_ steps: [Step]) {
        for step in steps { perform(step) }
    }

    private func perform(_ step: Step) {
        switch step {
        case .task(let id, let body):
            let canary = canary()
            loop.execute { [self] in call("task \(id)", canary, body) }
        case .scheduled(let id, let body):
            let canary = canary()
            keep(id, loop.schedule { [self] in call("scheduled \(id)", canary, body) })
        case .timer(let id, let timing, let body):
            let canary = canary()
            let timer = loop.schedule(at: timing.deadline(loop.now), options: timing.options) { [self] in
                call("timer \(id)", canary, body)
            }
            keep(id, timer)
        case .repeating(let id, let timing, let interval, let base, let times, let body):
            performRepeating(id, timing, Repetition(base, interval), times, body)
        case .cancel(let id): cancel(id)
        case .watch(let id, let end, let interest, let calls, let reads, let body):
            performWatch(id, end, interest, calls, reads, body)
        case .interest(let id, let interest):
            guard let watch = disposable(id) as? any DescriptorWatch else { return }
            attempt("interest of \(id)") { () throws(LoopError) in try watch.setInterest(interest) }
        case .keepsLoopAlive(let id, let keeps):
            guard !hand.isHere, let handle = disposable(id) as? any LoopHandle else { return }
            handle.keepsLoopAlive = keeps
        case .write(let end, let count): note("write to \(end): \(world.write(count, to: end))")
        case .fill(let end): note("fill \(end): \(world.fill(end))")
        case .read(let end, let count): note("read from \(end): \(world.read(count, from: end))")
        case .shut(let end): note("shut \(end): \(world.shut(end))")
        case .close(let end):
            disposeWatches(of: [end])
            note("close \(end): \(world.close(end))")
        case .renew(let channel):
            disposeWatches(of: [2 * channel, 2 * channel + 1])
            world.renew(channel)
        case .stop: loop.stop()
        case .dispose: loop.dispose()
        case .spend(let nanoseconds): time.spend(nanoseconds)
        case .hop(let steps): hand.perform { [self] in perform(steps) }
        case .run(let drive): run(drive)
        }
    }

    private func performRepeating(
        _ id: Int,
        _ timing: Step.Timing,
        _ repetition: Repetition,
        _ times: Int,
        _ body: [Step]
    ) {
        let canary = canary()
        let own = Box<(any Disposable)?>(nil)
        let count = Box(0)
        let timer = loop.schedule(
            at: timing.deadline(loop.now),
            repeating: repetition,
            options: timing.options
        ) { [self] in
            call("repeating \(id)", canary, body)
            if count.increment() >= times || isBrokenOff { own.value?.dispose() }
        }
        own.value = timer
        keep(id, timer)
    }

    private func performWatch(
        _ id: Int,
        _ end: Int,
        _ interest: Readiness,
        _ calls: Int,
        _ reads: Int,
        _ body: [Step]
    ) {
        let canary = canary()
        let own = Box<(any Disposable)?>(nil)
        let count = Box(0)
        attempt("watch \(id)") { () throws(LoopError) in
            let watch = try loop.watch(world.descriptor(of: end), for: interest) { [self] readiness in
                let mustRead = readiness.contains(.read) && reads > 0
                let taken = mustRead ? ", reads \(world.read(reads, from: end))" : ""
                call("watch \(id): \(readiness)\(taken)", canary, body)
                if count.increment() >= calls || isBrokenOff { own.value?.dispose() }
            }
            own.value = watch
            watches.withLock { watches in watches[end, default: []].append(watch) }
            keep(id, watch)
        }
    }

    private func attempt(_ what: String, _ body: () throws(LoopError) -> Void) {
        do { try body() } catch { note("\(what): \(error.code)") }
    }

    /// Records a callback, and its thread if that is wrong.
    private func call(_ what: String, _ canary: Canary, _ body: [Step]) {
        canary.sing()
        if calls.increment() > Self.mostCalls { return loop.stop() }
        note(what)
        if !loop.isCurrent { note("not current") }
        if threadIdentity() != home { note("on the wrong thread") }
        perform(body)
    }

    private func canary() -> Canary {
        closures.increment()
        return Canary { [closures] in closures.update { count in count -= 1 } }
    }

    private func keep(_ id: Int, _ disposable: any Disposable) {
        made.withLock { made in made[id] = disposable }
    }

    private func disposable(_ id: Int) -> (any Disposable)? { made.withLock { made in made[id] } }

    private func cancel(_ id: Int) {
        disposable(id)?.dispose()
    }

    /// Disposes the watches of ends that are about to be closed, on the calling thread (rule D7).
    private func disposeWatches(of ends: [Int]) {
        for watch in watches.withLock({ watches in ends.flatMap { end in watches[end] ?? [] } }) { watch.dispose() }
    }
}

extension Step.Timing {
    fileprivate func deadline(_ now: LoopInstant) -> LoopInstant { now + .nanoseconds(after) }

    fileprivate var options: TimerOptions {
        TimerOptions(leeway: .nanoseconds(leeway), keepsLoopAlive: keepsLoopAlive)
    }
}

extension Repetition {
    fileprivate init(_ base: Base, _ interval: Int64) {
        self = base == .rate ? .fixedRate(.nanoseconds(interval)) : .fixedDelay(.nanoseconds(interval))
    }
}
