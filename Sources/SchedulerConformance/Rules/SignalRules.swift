// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveSupport

/// F1, G1–G6: forks, process signals, children.
enum SignalRules {
    static let all = [f1, g1, g2, g3, g4, g5, g6]

    static let f1 = Rule(
        "F1",
        "In a forked child the parent's loop throws `forked` and can be released; the loop in the parent is not affected.",
        .optional,
        needs: [.forks]
    ) { check, loop, pair in
        let received = Box(0)
        let watch = try loop.watch(pair.near, for: .read) { _ in
            if Descriptor.take(from: pair.near) > 0 { received.increment() }
        }
        loop.schedule(after: .milliseconds(1)) {}
        try check.turns(loop, 2)
        try check.wait(until: "the process's other threads sleep") { ProcessResources.othersSleep }
        let code = ProcessSignals.inFork {
            if failure({ try loop.run() }) != .forked { return 2 }
            if failure({ _ = try loop.watch(pair.far, for: .write) { _ in } }) != .forked { return 3 }
            loop.execute {}
            watch.dispose()
            loop.dispose()
            return 0
        }
        check.equal(code, 0, "the child's exit code (2: `run` was not refused, 3: `watch` was not refused)")
        Descriptor.put("x", to: pair.far)
        try check.turns(loop, until: "the parent's watch is called") { received.value == 1 }
        watch.dispose()
    }

    static let g1 = Rule.ofSockets(
        "G1",
        "Writing to a closed peer is an error (`EPIPE` or a reset), never `SIGPIPE`, even for many buffers and datagrams."
    ) { check, loop, server in
        for pieces in [1, 100] {
            let (client, connection) = try server.connect()
            guard let address = connection.localAddress else {
                throw Broken("a connection has an address", "it has none")
            }
            client.reset()
            // The sends would complete before the reset arrives.
            try check.wait(until: "the reset has arrived") { OpenSockets.established(on: address) == 0 }
            let ends = Recorder<SocketError.Code?>()
            for _ in 0..<pieces {
                connection.send("nobody hears this").subscribe(onTermination: { ends.append($0.code) })
            }
            try check.turns(loop, until: "\(pieces) sends to a closed peer have terminated") { ends.count == pieces }
            check.expect(ends.values.contains { $0 != nil }, "at least one fails", seen: "\(ends.values)")
        }
        // A Unix peer that closes sends no reset, so the write itself fails.
        let pair = SocketPair()
        let near = Descriptor.copy(of: pair.near)
        let connection = try Connection(adopting: near, loop: loop)
        pair.closeNear()
        pair.closeFar()
        let end = Recorder<SocketError.Code?>()
        connection.send("nor this").subscribe(onTermination: { end.append($0.code) })
        try check.turns(loop, until: "a send to a closed Unix peer has terminated") { end.count == 1 }
        check.expect(end.values.first != .some(nil), "the send fails", seen: "it completed")
        connection.abort()
        let socket = try DatagramSocket(to: RawSocket.closedAddress, loop: loop)
        for _ in 0..<5 {
            socket.send("nobody here").subscribe(onTermination: { _ in })
            try check.turns(loop, 2)
        }
        socket.close()
        try check.turns(loop, 2)
    }

    static let g2 = Rule(
        "G2",
        "A process signal's handler is called on the loop, in a turn, at least once for any number of preceding arrivals.",
        needs: [.processSignals]
    ) { check in
        for isOwned in check.owners {
            let loop = try check.loop(isOwned: isOwned)
            let calls = Box(0)
            let handles = Recorder<any LoopHandle>()
            let arrived = Latch()
            @Sendable func begin() {
                check.attempt {
                    for signal in [ProcessSignal.interrupt, .terminate, .user1] {
                        let handle = try loop.onSignal(signal) {
                            check.expect(loop.isCurrent, "the loop is current in the handler of \(signal)")
                            if calls.increment() == 3 { arrived.arrive() }
                        }
                        handles.append(handle)
                    }
                    for signal in [ProcessSignal.interrupt, .terminate, .user1] {
                        ProcessSignals.raise(signal)
                        ProcessSignals.raise(signal)
                    }
                    check.equal(calls.value, 0, "handlers called in signal context, before the turn")
                }
            }
            if isOwned {
                try check.sync(loop, begin)
                try check.wait(for: arrived, "the handlers of three signals are called")
                try check.sync(loop)
            } else {
                loop.execute(begin)
                try check.turns(loop, until: "the handlers of three signals are called") { calls.value >= 3 }
                try check.turns(loop, 3)
            }
            check.expect((3...6).contains(calls.value), "three to six calls for six arrivals", seen: "\(calls.value)")
            for handle in handles.values { handle.dispose() }
            if isOwned { loop.dispose() }
        }
        let loop = try check.loop()
        for number: Int32 in [-1, 0, 9, 19, 65, 1000, .max] {
            let code = failure { _ = try loop.onSignal(ProcessSignal(rawValue: number)) {} }
            check.equal(code, .badSignal, "the error of a handler of signal \(number)")
        }
    }

    static let g3 = Rule(
        "G3",
        "Handlers of one signal are independent; removing the last one, or the loop, restores the previous disposition.",
        needs: [.processSignals]
    ) { check in
        for isIgnored in [true, false] {
            ProcessSignals.setDisposition(.user2, isIgnored: isIgnored)
            let before = ProcessSignals.disposition(.user2)
            let loop = try check.loop()
            let trace = Recorder<Int>()
            let first = try loop.onSignal(.user2) { trace.append(1) }
            let second = try loop.onSignal(.user2) { trace.append(2) }
            ProcessSignals.raise(.user2)
            try check.turns(loop, until: "both handlers are called") { trace.count == 2 }
            check.equal(trace.values.sorted(), [1, 2], "handlers called")
            first.dispose()
            first.dispose()
            ProcessSignals.raise(.user2)
            try check.turns(loop, until: "the remaining handler is called") { trace.count == 3 }
            check.equal(trace.values.last, 2, "the handler that is left")
            check.expect(ProcessSignals.disposition(.user2) != before, "the signal is still handled")
            second.dispose()
            check.equal(ProcessSignals.disposition(.user2), before, "disposition after the last handler was disposed")
            if isIgnored { ProcessSignals.raise(.user2) }
            try check.turns(loop, 3)
            check.equal(trace.count, 3, "calls in total")
            _ = try loop.onSignal(.user2) {}
            check.expect(ProcessSignals.disposition(.user2) != before, "the signal is handled again")
            loop.dispose()
            check.equal(ProcessSignals.disposition(.user2), before, "disposition after the loop was disposed")
        }
    }

    static let g4 = Rule(
        "G4",
        "Two loops on two threads that handle the same process signal both receive it.",
        .optional,
        needs: [.processSignals, .ownThread, .realTime]
    ) { check in
        for peer in check.peers {
            let loops = [try check.ownedLoop(), try check.loop(of: peer, isOwned: true)]
            let arrived = Latch(2)
            for loop in loops {
                try check.sync(loop) {
                    check.attempt {
                        let once = Box(0)
                        _ = try loop.onSignal(.user1) { if once.increment() == 1 { arrived.arrive() } }
                    }
                }
            }
            ProcessSignals.raise(.user1)
            try check.wait(for: arrived, "both loops, the other one \(peer.name), receive the signal")
            for loop in loops { loop.dispose() }
        }
    }

    static let g5 = Rule(
        "G5",
        "A child's exit is reported once, with its status; no zombie is left; children of other code are not affected.",
        .optional,
        needs: [.children]
    ) { check, loop in
        let foreign = ProcessSignals.startForeignChild()
        let codes: [Int32] = [0, 7, 255]
        let told = Recorder<ChildProcess.ExitStatus>()
        let children = try codes.map { code in
            let child = try ChildProcess("/bin/sh", ["-c", "exit \(code)"], loop: loop)
            child.exit.subscribe(
                onValue: { status in
                    check.expect(loop.isCurrent, "the exit is delivered on the loop")
                    told.append(status)
                },
                onTermination: check.noFailure(of: "the exit status")
            )
            return child
        }
        try check.step("runUntilIdle, with three children", loop.runUntilIdle)
        check.equal(told.count, 3, "reported exits")
        check.equal(Set(told.values), Set(codes.map { .exited($0) }), "the reported statuses")
        for child in children {
            check.expect(!ProcessSignals.exists(child.identifier), "child \(child.identifier) is no zombie")
        }
        let killed = try ChildProcess("/bin/cat", standardInput: .piped, loop: loop)
        killed.exit.subscribe(onValue: { told.append($0) }, onTermination: check.noFailure(of: "the exit status"))
        try killed.send(.kill)
        try check.turns(loop, until: "the exit of a killed child is reported") { told.count == 4 }
        check.equal(told.values.last, .signalled(.kill), "the status of the killed child")
        check.equal(ProcessSignals.collectForeignChild(foreign), 5, "the status of a child that the loop did not start")
    }

    static let g6 = Rule(
        "G6",
        "A process signal that interrupts the wait has no effect: no error, no early timer.",
        needs: [.processSignals, .realTime]
    ) { check in
        try interruptedTimer(check)
        if check.has(.ownThread), check.has(.ownRun) { try handledInWait(check) }
    }

    /// Waits for a timer while another thread interrupts each wait after about 100 µs. A poller that restarts an interrupted
    /// wait with its whole time limit ends it only when the signals end.
    private static func interruptedTimer(_ check: Check) throws {
        let listening = try check.loop()
        check.disposeAtEnd(try listening.onSignal(.user1) {})
        let loop = try check.loop()
        let target = ProcessSignals.Thread.current
        let limit = Duration.milliseconds(100) * check.scale
        let (start, waits) = (loop.now, Platform.threadWaits)
        let noise = BusyThreads(1) { _ in
            if loop.now < start + limit * 20 { target.send(.user1) }
            Platform.pause(.microseconds(100))
        }
        let fired = Box<Duration?>(nil)
        loop.schedule(after: .milliseconds(30)) { fired.value = loop.now - start }
        check.attempt { try check.step("waits for a timer of 30 ms while signals arrive", loop.runUntilIdle) }
        noise.end()
        let seen = "\(String(describing: fired.value)), after \(Platform.threadWaits - waits) waits"
        let time = fired.value ?? .zero
        check.expect(time >= .milliseconds(30), "a timer of 30 ms is not early", seen: seen)
        // The machine may stop this process for seconds, but a stopped thread does not wait again and again. A correct
        // poller waits about 300 times in 30 ms.
        let isPrompt = time < limit || Platform.threadWaits - waits < 600
        check.expect(isPrompt, "a timer of 30 ms fires within \(limit) while signals interrupt the waits", seen: seen)
    }

    /// Sends a signal to a thread whose loop waits. The thread must block only the signal that it had blocked before the run.
    private static func handledInWait(_ check: Check) throws {
        let (listening, loop) = (try check.ownedLoop(), try check.loop())
        let handled = Box(0)
        let handles = Box<(any Disposable)?>(nil)
        try check.sync(listening) {
            check.attempt { handles.value = try listening.onSignal(.user1) { handled.increment() } }
        }
        let (target, thread) = (ProcessSignals.Thread.current, ThreadStack.Thread.current)
        let own = SignalMask.only(SIGUSR2)
        @Sendable func blocked() -> UInt64 { SignalMask.blocked(by: thread) ?? own }
        let worker = check.thread(duringRunOf: loop) {
            // Then a blocked signal is found. An unblocked one is handled whether the loop already waits or not.
            Platform.pause(.milliseconds(10))
            target.send(.user1)
            let limit = Platform.now + .seconds(2) * check.scale
            while handled.value == 0, Platform.now < limit { Platform.pause(.microseconds(200)) }
            check.expect(handled.value > 0, "a signal is handled while the thread that receives it waits", seen: "none")
            // Until the loop waits, its thread may block signals.
            while blocked() != own, Platform.now < limit { Platform.pause(.microseconds(200)) }
            let seen = blocked()
            check.expect(
                seen == own,
                "a thread that waits blocks SIGUSR2, which it had blocked before, and no other signal",
                seen: String(seen, radix: 16)
            )
            loop.stop()
        }
        try SignalMask.blocking(SIGUSR2) {
            try loop.run()
            check.expect(
                blocked() == own,
                "a run leaves the signals that its thread blocks as they are",
                seen: "others"
            )
        }
        worker.join()
        try check.sync(listening) {
            handles.value?.dispose()
            handles.value = nil
        }
    }
}

extension Termination<SocketError> {
    /// The code of the error, or `nil` if the signal has completed.
    var code: SocketError.Code? {
        if case .failed(let error) = self { error.code } else { nil }
    }
}
