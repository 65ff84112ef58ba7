// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import SchedulerEngine
import Testing

extension Loops {
    /// Each test uses different real-time signals on each kind of loop, because all tests share one process.
    @Suite struct ProcessSignals {
        private func number(_ kind: LoopKind, _ test: Int32) -> ProcessSignal {
            let place = LoopKind.all.firstIndex(of: kind).map { Int32($0) } ?? 0
            return ProcessSignal(rawValue: 36 + test * 3 + place)
        }

        /// Sends the signal to this thread, so that it has arrived on return. A signal to the process would reach
        /// another thread some time later.
        private func raise(_ signal: ProcessSignal) {
            var (own, previous) = (sigset_t(), sigset_t())
            sigemptyset(&own)
            sigaddset(&own, signal.rawValue)
            // Threads created by libdispatch block every signal.
            pthread_sigmask(SIG_UNBLOCK, &own, &previous)
            pthread_kill(pthread_self(), signal.rawValue)
            pthread_sigmask(SIG_SETMASK, &previous, nil)
        }

        private func isDefault(_ signal: ProcessSignal) -> Bool {
            var action = sigaction()
            sigaction(signal.rawValue, nil, &action)
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
        }

        @Test("G2: process signals arrive as values on the loop, from the subscription on", arguments: LoopKind.all)
        func values(_ kind: LoopKind) throws {
            let (one, two) = (number(kind, 0), number(kind, 1))
            let loop = try kind.make()
            defer { loop.dispose() }
            let (seen, elsewhere) = (Recorder<ProcessSignal>(), Box(0))
            let subscription = loop.processSignals(one, two).subscribe(
                onValue: { signal in
                    if !loop.isCurrent { elsewhere.increment() }
                    seen.append(signal)
                },
                onTermination: noFailure()
            )
            // No turn has run yet. Without the handler the signal would end the process.
            raise(one)
            #expect(seen.count == 0)
            try loop.turns { seen.count == 1 }
            raise(two)
            try loop.turns { seen.values.contains(two) }
            raise(one)
            raise(one)
            let before = seen.count
            try loop.turns { seen.count > before }
            try loop.turns(3)
            #expect(seen.count - before <= 2 && elsewhere.value == 0)
            try loop.runUntilIdle()
            subscription.dispose()
        }

        @Test(
            "G3: several subscriptions are independent, and disposing the last restores the old disposition",
            arguments: LoopKind.all
        )
        func independent(_ kind: LoopKind) throws {
            let signal = number(kind, 2)
            let loop = try kind.make()
            #expect(isDefault(signal))
            let (first, second) = (Recorder<ProcessSignal>(), Recorder<ProcessSignal>())
            let one = loop.processSignals(signal).subscribe(onValue: { first.append($0) }, onTermination: noFailure())
            let two = loop.processSignals(signal, signal).take(1).subscribe(
                onValue: { second.append($0) },
                onTermination: noFailure()
            )
            raise(signal)
            try loop.turns { first.count == 1 && second.count == 1 }
            #expect(two.isDisposed && !isDefault(signal))
            raise(signal)
            try loop.turns { first.count == 2 }
            one.dispose()
            #expect(isDefault(signal) && second.count == 1)
            // Disposing the loop disposes the remaining handlers.
            loop.processSignals(signal).subscribe(onValue: { _ in }, onTermination: noFailure())
            #expect(!isDefault(signal))
            loop.dispose()
            #expect(isDefault(signal))
        }

        @Test("G4: two loops that run on their own threads both receive a signal", arguments: LoopKind.all)
        func twoLoops(_ kind: LoopKind) throws {
            let signal = number(kind, 3)
            let loops = [try kind.make(thread: .owned), try LoopKind.dispatch.make(thread: .owned)]
            let arrived = Latch(2)
            for loop in loops {
                loop.processSignals(signal).take(1).subscribe(
                    onValue: { _ in
                        if loop.isCurrent { arrived.arrive() }
                    },
                    onTermination: noFailure()
                )
                // The loop installs the handler as its next job.
                try loop.sync()
            }
            raise(signal)
            try arrived.wait()
            for loop in loops { loop.dispose() }
        }

        @Test("Law 11: during a pause each signal is kept once and delivered after the pause", arguments: LoopKind.all)
        func paused(_ kind: LoopKind) throws {
            let (one, two) = (number(kind, 4), number(kind, 5))
            let loop = try kind.make()
            defer { loop.dispose() }
            let seen = Recorder<ProcessSignal>()
            let subscription = SignalSubscription()
            loop.processSignals(one, two).subscribe(
                in: subscription,
                onValue: { seen.append($0) },
                onTermination: noFailure()
            )
            let hold = subscription.pause()
            for _ in 0..<5 {
                raise(two)
                try loop.turns(2)
                raise(one)
                try loop.turns(2)
            }
            #expect(seen.count == 0)
            hold.dispose()
            try loop.turns { seen.count == 2 }
            try loop.turns(2)
            #expect(seen.values == [two, one])
            raise(one)
            try loop.turns { seen.count == 3 }
            subscription.dispose()
        }

        @Test("An invalid signal number fails the whole subscription", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let signal = number(kind, 6)
            let loop = try kind.make()
            for bad: Int32 in [0, 9, 19, 1000] {
                let code = Box<LoopError.Code?>(nil)
                loop.processSignals(signal, ProcessSignal(rawValue: bad)).subscribe(
                    onValue: { _ in },
                    onTermination: { termination in
                        if case .failed(let error) = termination { code.value = error.code }
                    }
                )
                #expect(code.value == .badSignal && isDefault(signal))
            }
            loop.dispose()
            let code = Box<LoopError.Code?>(nil)
            loop.processSignals(signal).subscribe(
                onValue: { _ in },
                onTermination: { termination in
                    if case .failed(let error) = termination { code.value = error.code }
                }
            )
            #expect(code.value == .disposed)
        }
    }
}
