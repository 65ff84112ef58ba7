// SPDX-License-Identifier: MIT
import ReactiveCore

/// Z6, Z7: the memory and closures that a loop releases, whether it runs or not.
enum ReleaseRules {
    static let all = [z6, z7]

    static let z6 = Rule(
        "Z6",
        "Timers and work that are cancelled before the loop has taken them hold no memory: 20 000 of each take less than 1 MB."
    ) { check in
        let count = check.rounds(20_000)
        let (kept, ran) = (Recorder<any Disposable>(), Box(0))
        typealias Make = (@escaping @Sendable () -> Void) -> any Disposable
        func expectLittle(_ name: String, _ make: Make) {
            let heap = Platform.heapInUse
            @Sendable func run() { ran.increment() }
            // A few entries are not cancelled, and must stay.
            for number in 0..<count { if number % 1000 == 0 { kept.append(make(run)) } else { make(run).dispose() } }
            let growth = Platform.heapInUse - heap
            check.expect(growth, "less than 1 MB for \(count) of \(name), cancelled at once") { $0 < 1_000_000 }
            var all = (0..<count).map { _ in make(run) }
            for handle in all { handle.dispose() }
            all = []
            let left = Platform.heapInUse - heap
            check.expect(left < 1_000_000, "less than 1 MB for \(count) of \(name), cancelled later", seen: "\(left)")
        }
        func expectLittle(_ loop: any LoopScheduler) {
            expectLittle("a timer") { run in loop.schedule(after: .zero, run) }
            // The interval is long, because in virtual time an hour passes immediately. So the timer fires only once.
            expectLittle("a repeating timer") { run in
                loop.schedule(
                    at: loop.now,
                    repeating: .fixedRate(.seconds(10_000_000_000)),
                    options: TimerOptions(),
                    run
                )
            }
            expectLittle("work") { run in loop.schedule(run) }
        }
        func expectTheRest() {
            check.equal(ran.value, kept.count, "callbacks that ran, of those that were not cancelled")
            for handle in kept.values { handle.dispose() }
            kept.clear()
            ran.value = 0
        }
        let loop = try check.loop()
        expectLittle(loop)
        try check.turns(loop, 3)
        expectTheRest()
        ResourceRules.expectNothingHeld(check, loop)
        guard check.has(.ownThread) else { return }
        let busy = try check.ownedLoop()
        let goOn = try check.occupy(busy)
        expectLittle(busy)
        goOn.arrive()
        for _ in 0..<2 { try check.sync(busy) }
        expectTheRest()
    }

    static let z7 = Rule(
        "Z7",
        "The `deinit` of an object in a closure may wait for a thread that uses the loop, however the closure is released.",
        needs: [.ownThread, .descriptors]
    ) { check in
        for isOwned in check.owners {
            for moment in Moment.allCases {
                for (name, make) in kinds(check) {
                    let loop = try check.loop(isOwned: isOwned)
                    check.note("\(name), released \(moment), on a loop that " + (isOwned ? "runs" : "does not run"))
                    try released(check, loop, isOwned, moment, name, make)
                    loop.dispose()
                    if check.failure != nil { return }
                }
            }
        }
    }

    /// The moment at which a closure is released.
    private enum Moment: CaseIterable {
        case atOnce, whenKnown, byAnotherThread, withTheLoop
    }

    private typealias Make =
        @Sendable (any LoopScheduler, SocketPair, @escaping @Sendable () -> Void) throws -> any Disposable

    private static func kinds(_ check: Check) -> [(String, Make)] {
        var kinds: [(String, Make)] = [
            ("work", { loop, _, closure in loop.schedule(closure) }),
            ("a timer", { loop, _, closure in loop.schedule(after: .seconds(60), closure) }),
            ("a repeating timer", { loop, _, closure in loop.schedule(every: .seconds(60), closure) }),
            ("a watch", { loop, pair, closure in try loop.watch(pair.near, for: .read) { _ in closure() } }),
        ]
        if check.has(.processSignals) {
            kinds.append(("a signal handler", { loop, _, closure in try loop.onSignal(.user1, closure) }))
        }
        return kinds
    }

    private static func released(
        _ check: Check,
        _ loop: any LoopScheduler,
        _ isOwned: Bool,
        _ moment: Moment,
        _ name: String,
        _ make: @escaping Make
    ) throws {
        let (gone, pair) = (Box(0), SocketPair())
        defer { pair.close() }
        let (handle, other) = (Box<(any Disposable)?>(nil), Box<(any Disposable)?>(nil))
        @Sendable func register() throws {
            let canary = Canary {
                if !useElsewhere(check, loop, other.value) {
                    check.fail(expected: "a thread can use the loop during a deinit", seen: "the thread is blocked")
                }
                gone.increment()
            }
            handle.value = try make(loop, pair) { canary.sing() }
            // Created after `handle`, so that the loop's disposal reaches this timer later.
            other.value = loop.schedule(every: .seconds(60)) {}
        }
        if isOwned { try check.sync(loop) { check.attempt(register) } } else { try register() }
        // Work would already have run in that turn.
        if moment != .atOnce, name != "work", !isOwned { try check.turns(loop, 1) }
        switch moment {
        case .atOnce: handle.value?.dispose()
        case .whenKnown where isOwned: try check.sync(loop) { handle.value?.dispose() }
        case .whenKnown: handle.value?.dispose()
        case .byAnotherThread: check.thread { handle.value?.dispose() }.join()
        case .withTheLoop: loop.dispose()
        }
        // The loop releases the closure in a later turn, because a guest's state belongs to its host's thread.
        if isOwned, moment != .withTheLoop { for _ in 0..<2 { try check.sync(loop) } }
        if !isOwned, moment == .byAnotherThread { try check.turns(loop, 2) }
        check.equal(gone.value, 1, "released closures of \(name), \(moment)")
        (handle.value, other.value) = (nil, nil)
    }

    /// Uses a loop on another thread, and waits. Returns `false` on a timeout.
    private static func useElsewhere(_ check: Check, _ loop: any LoopScheduler, _ other: (any Disposable)?) -> Bool {
        let done = Latch()
        check.thread {
            loop.execute {}
            loop.schedule {}.dispose()
            loop.schedule(after: .seconds(60)) {}.dispose()
            other?.dispose()
            let pair = SocketPair()
            defer { pair.close() }
            _ = failure { try loop.watch(pair.near, for: .read) { _ in }.dispose() }
            done.arrive()
        }
        return done.wait(.seconds(5) * check.scale)
    }
}
