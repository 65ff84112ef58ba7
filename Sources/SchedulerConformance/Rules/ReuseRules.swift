// SPDX-License-Identifier: MIT
import ReactiveCore

/// D7: watches that another thread disposes just before it closes their descriptors.
enum ReuseRules {
    static let all = [d7]

    /// The history of a watch before another thread disposes it.
    private enum History: CaseIterable {
        /// It was created in an earlier turn.
        case settled
        /// It was created in this turn. A poller may not have registered it with the kernel yet.
        case fresh
        /// It was created in an earlier turn, and its interest was changed in this one.
        case changed
        /// It has an empty interest.
        case silent
        /// The descriptor has a second watch.
        case shared
    }

    static let d7 = Rule(
        "D7",
        "Another thread may dispose a watch and then close its descriptor; a new watch is called if the number is reused, or refused.",
        needs: [.descriptors]
    ) { check, loop in
        let gone = Box(0)
        let rounds = check.rounds(40)
        for history in History.allCases {
            for round in 0..<rounds {
                check.note("\(history), round \(round)")
                try reuse(check, loop, history, isReused: round % 4 != 3, gone)
            }
        }
        let watches = History.allCases.reduce(0) { sum, history in sum + (history == .shared ? 2 : 1) }
        check.equal(gone.value, watches * rounds, "released closures of disposed watches")
        for isShared in [false, true] { try refuse(check, loop, isShared: isShared) }
        try check.step("runUntilIdle, with every watch disposed", loop.runUntilIdle)
    }

    /// Uses one number for two descriptors, one after the other.
    private static func reuse(
        _ check: Check,
        _ loop: any LoopScheduler,
        _ history: History,
        isReused: Bool,
        _ gone: Box<Int>
    ) throws {
        let number = Descriptor.freeNumber()
        let firstFar = Descriptor.socket(at: number)
        let old = Box<[any DescriptorWatch]>([])
        let interest: Readiness = history == .silent ? [] : .read
        let watch: @Sendable (Readiness) -> Void = { interest in
            let called = Canary.closure(countedBy: gone)
            check.attempt {
                let watch = try loop.watch(number, for: interest) { _ in called() }
                old.update { old in old.append(watch) }
            }
        }
        if history != .fresh {
            watch(interest)
            if history == .shared { watch(.write) }
            try check.turns(loop, 1)
        }
        let calls = Box(0)
        let next = Box<(watch: any DescriptorWatch, far: Int32)?>(nil)
        loop.execute {
            if history == .fresh { watch(interest) }
            if history == .changed { check.attempt { try old.value.first?.setInterest([.read, .write]) } }
            // The loop is in the middle of a turn, so it processes the disposal in a later turn.
            Worker {
                for watch in old.value { watch.dispose() }
                Descriptor.close(number)
            }.join()
            if !isReused { return }
            let far = Descriptor.socket(at: number)
            Descriptor.put("x", to: far)
            check.attempt {
                let watch = try loop.watch(number, for: .read) { _ in
                    if Descriptor.take(from: number) > 0 { calls.increment() }
                }
                next.value = (watch, far)
            }
        }
        try check.turns(loop, 3)
        if let (watch, far) = next.value {
            check.equal(calls.value, 1, "calls of the watch of a reused number with unread data")
            // By now the loop has removed the old watch. It must not have removed the new one.
            Descriptor.put("y", to: far)
            try check.turns(loop, 2)
            check.equal(calls.value, 2, "calls after more data")
            watch.dispose()
            Descriptor.close(number)
            Descriptor.close(far)
        }
        Descriptor.close(firstFar)
        old.value = []
        next.value = nil
    }

    /// Watches a number that is closed, while the loop has not removed disposed watches of it. With `isShared`, the number
    /// has a watch that is not disposed.
    private static func refuse(_ check: Check, _ loop: any LoopScheduler, isShared: Bool) throws {
        check.note("a closed number, \(isShared ? "with" : "without") a watch")
        let number = Descriptor.freeNumber()
        let far = Descriptor.socket(at: number)
        let live = isShared ? try loop.watch(number, for: .read) { _ in } : nil
        let old = try [Readiness.read, .write].map { interest in try loop.watch(number, for: interest) { _ in } }
        try check.turns(loop, 1)
        loop.execute {
            Worker {
                for watch in old { watch.dispose() }
                Descriptor.close(number)
            }.join()
            let error = failure { _ = try loop.watch(number, for: .read) { _ in } }
            check.equal(error, .badDescriptor, "the error of a watch of the closed number")
        }
        try check.turns(loop, 2)
        live?.dispose()
        Descriptor.close(far)
    }
}
