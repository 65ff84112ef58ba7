// SPDX-License-Identifier: MIT
import Glibc
package import LoopTestSupport
package import ReactiveCore
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine

/// A random program of several threads on one loop that owns its thread, in real time.
///
/// The threads set timers, submit work, request watches and signal handlers, raise signals, and dispose what any of
/// them created. Runs differ, so there is no trace to compare. Instead each call is checked against rules T12 and
/// T27: after a disposal has returned, only the very next callback of the loop may still belong to the disposed
/// object. On the loop's thread, none may.
package final class Race: Sendable {
    private let loop: any LoopScheduler
    private let signal: ProcessSignal
    /// The objects that threads may dispose.
    private let racers = Lock<[Racer]>([])
    /// The objects disposed since the loop's last callback ended.
    private let disposed = Lock<[Racer]>([])
    private let closures = Box(0)
    private let failure = Box<String?>(nil)

    private init(_ loop: any LoopScheduler, _ signal: ProcessSignal) { (self.loop, self.signal) = (loop, signal) }

    /// Runs one race. Returns a description of the failure, or `nil`.
    ///
    /// - Parameters:
    ///   - kind: The loop.
    ///   - seed: The seed of the threads' choices.
    ///   - signal: A signal that no other code in this process handles.
    package static func failure(on kind: LoopKind, seed: UInt64, signal: ProcessSignal) throws -> String? {
        let race = Race(try kind.make(name: "raced", thread: .owned), signal)
        // This handler stays until the end, because without a handler the signal would end the process.
        let last = Box<(any Disposable)?>(nil)
        try race.loop.sync { last.value = try? race.loop.onSignal(signal) {} }
        guard last.value != nil else { return "\(signal) cannot be handled" }
        var generator = SplitMix64(seed: seed)
        let threads = (0..<Int.random(in: 2...3, using: &generator)).map { _ in
            let own = SplitMix64(seed: generator.next())
            return TestThread { race.run(own) }
        }
        for thread in threads { try thread.join() }
        return try race.finish(last.value)
    }

    private func finish(_ last: (any Disposable)?) throws -> String? {
        for racer in racers.withLock({ racers in racers }) { dispose(racer) }
        try loop.sync()
        last?.dispose()
        // The objects that the threads' jobs created during the race.
        for racer in racers.withLock({ racers in racers }) { racer.handle.value?.dispose() }
        loop.dispose()
        let all = racers.withLock { racers in
            defer { racers = [] }
            return racers
        }
        for racer in all where racer.handle.value?.isDisposed == false {
            fail("\(racer.kind) is not over with its loop")
        }
        if closures.value > 0 { fail("\(closures.value) closures are left") }
        return failure.value
    }

    private func fail(_ what: String) { failure.update { failure in failure = failure ?? what } }

    // MARK: The threads

    private func run(_ seeded: SplitMix64) {
        var generator = seeded
        for _ in 0..<400 where failure.value == nil { step(&generator) }
    }

    private func step(_ generator: inout SplitMix64) {
        switch Int.random(in: 0..<16, using: &generator) {
        case 0...2: add(.timer, generator.next())
        case 3, 4: add(.repeating, generator.next())
        case 5, 6: add(.scheduled, generator.next())
        case 7, 8:
            let (kind, seed) = (Bool.random(using: &generator) ? Racer.Kind.watch : .signal, generator.next())
            loop.execute { [self] in add(kind, seed) }
        case 9: raise()
        case 10:
            let seed = generator.next()
            loop.execute { [self] in disposeAny(seed) }
        case 11: Platform.pause(.microseconds(20))
        default: disposeAny(generator.next())
        }
    }

    /// Sends the signal to this thread, so that it has arrived on return.
    private func raise() {
        var (own, previous) = (sigset_t(), sigset_t())
        sigemptyset(&own)
        sigaddset(&own, signal.rawValue)
        pthread_sigmask(SIG_UNBLOCK, &own, &previous)
        pthread_kill(pthread_self(), signal.rawValue)
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }

    private func disposeAny(_ seed: UInt64) {
        let racer = racers.withLock { racers -> Racer? in
            if racers.isEmpty { return nil }
            return racers.remove(at: Int(seed % UInt64(racers.count)))
        }
        if let racer { dispose(racer) }
    }

    private func dispose(_ racer: Racer) {
        // The loop may call the object before the creating thread has its handle.
        guard let handle = racer.handle.value else { return }
        handle.dispose()
        if loop.isCurrent { racer.markOver() } else { disposed.withLock { disposed in disposed.append(racer) } }
    }

    private func add(_ kind: Racer.Kind, _ seed: UInt64) {
        let racer = Racer(kind)
        closures.increment()
        let canary = Canary { [closures] in closures.update { count in count -= 1 } }
        let call: @Sendable () -> Void = { [self] in
            canary.sing()
            called(racer, seed)
        }
        let due = loop.now + .microseconds(Int64(seed % 60))
        let often = Repetition.fixedRate(.microseconds(Int64(seed % 7) * 5))
        switch kind {
        case .timer: racer.handle.value = loop.schedule(at: due, options: TimerOptions(), call)
        case .repeating: racer.handle.value = loop.schedule(at: due, repeating: often, options: TimerOptions(), call)
        case .scheduled: racer.handle.value = loop.schedule(call)
        case .watch:
            let pair = SocketPair()
            racer.handle.value = try? loop.watch(pair.near, for: .write) { _ in
                withExtendedLifetime(pair) { call() }
            }
        case .signal: racer.handle.value = try? loop.onSignal(signal, call)
        }
        racers.withLock { racers in racers.append(racer) }
    }

    // MARK: The loop

    private func called(_ racer: Racer, _ seed: UInt64) {
        guard let count = racer.count() else {
            return fail("\(racer.kind) is called after a callback that ended after its disposal")
        }
        // Long enough for a disposal in between.
        loop.spin(.microseconds(Int64(seed % 3)))
        if racer.kind != .timer, racer.kind != .scheduled, count >= 20 { dispose(racer) }
        if seed % 5 == 0 { disposeAny(seed) }
        let seen = disposed.withLock { disposed in
            defer { disposed = [] }
            return disposed
        }
        for racer in seen { racer.markOver() }
    }
}
