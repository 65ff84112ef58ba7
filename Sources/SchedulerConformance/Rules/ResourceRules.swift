// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveSupport

/// Z1–Z5: leaks. (The kit searches for leaks after every check. These checks are stricter.)
enum ResourceRules {
    static let all = [z1, z2, z3, z4, z5]

    static let z1 = Rule(
        "Z1",
        "When everything on a loop has ended, the process has no more descriptors than before.",
        needs: [.descriptors]
    ) { check in
        for _ in 0..<2 {
            let loop = try check.loop()
            try check.turns(loop, 1)
            loop.schedule(after: .zero) {}
            try check.turns(loop, 2)
            let kinds = Holdings.kinds(check, loop)
            let before = Descriptor.all
            for (name, make) in kinds {
                for _ in 0..<10 { try make() }
                try check.turns(loop, 5)
                let left = Descriptor.all.subtracting(before).sorted()
                let names = left.map { "\($0) \(ProcFS.target(of: "/proc/self/fd/\($0)") ?? "?")" }
                check.expect(left.isEmpty, "no descriptor is left of \(name)", seen: names.joined(separator: ", "))
            }
        }
    }

    static let z2 = Rule(
        "Z2",
        "Every handle is disposed once its work has ended or it was disposed, and every closure is released."
    ) { check, loop, pair in
        let (made, gone) = (Box(0), Box(0))
        @Sendable func closure() -> @Sendable () -> Void {
            made.increment()
            return Canary.closure(countedBy: gone)
        }
        for _ in 0..<100 {
            var handles: [any Disposable] = [
                loop.schedule(closure()), loop.schedule(after: .zero, closure()),
                loop.schedule(every: .seconds(1), closure()), loop.schedule(after: .seconds(1), closure()),
            ]
            let ready = closure()
            handles.append(try loop.watch(pair.near, for: .write) { _ in ready() })
            if check.has(.processSignals) {
                handles.append(try loop.onSignal(.windowChange, closure()))
            }
            loop.execute(closure())
            try check.turns(loop, 2)
            for handle in handles { handle.dispose() }
            check.expect(handles.allSatisfy { $0.isDisposed }, "each handle is disposed")
        }
        try check.turns(loop, 2)
        check.equal(gone.value, made.value, "released closures, of those that were created")
        expectNothingHeld(check, loop)
        try check.step("runUntilIdle, with nothing left", loop.runUntilIdle)
    }

    /// Expects that a loop that reports its objects contains none.
    static func expectNothingHeld(_ check: Check, _ loop: any LoopScheduler) {
        let held = check.description.holdings?(loop).filter { $0.value > 0 } ?? [:]
        let names = held.sorted { $0.key < $1.key }.map { name, count in "\(name): \(count)" }
        check.expect(held.isEmpty, "the loop holds nothing", seen: names.joined(separator: ", "))
    }

    static let z3 = Rule(
        "Z3",
        "2 000 of each kind of object that a loop holds, created and released, leave no memory behind (under 4 bytes each).",
        needs: [.descriptors],
        limit: .seconds(40)
    ) { check, loop in
        for (name, make) in Holdings.kinds(check, loop) {
            func repeated(_ count: Int) throws {
                for number in 0..<count {
                    try make()
                    if number % 50 == 49 { try check.turns(loop, 3) }
                }
                try check.turns(loop, 5)
            }
            // The first round creates one-time objects, and arrays that grow.
            try repeated(check.rounds(1000))
            // A leak grows in each round. Swift's runtime occasionally allocates 16 KiB for its tables.
            var growth = Int.max
            for _ in 0..<3 where growth >= 4 * 2000 {
                // The notes of this check use memory too. So does the first reading of the notes.
                let notes = check.trace.count
                let heap = Platform.heapInUse
                try repeated(check.rounds(2000))
                growth = Platform.heapInUse - heap - (check.trace.count - notes) * 100
            }
            check.expect(growth < 4 * 2000, "\(name) leaves less than 8 000 bytes", seen: "\(growth) bytes")
        }
    }

    static let z4 = Rule(
        "Z4",
        "A hundred loops of each kind, created, used and disposed, leave no descriptor, no thread and no memory behind.",
        needs: [.descriptors]
    ) { check in
        func once(_ isOwned: Bool) throws {
            let loop = try check.description.make("\(Platform.threadPrefix)z", isOwned)
            let pair = SocketPair()
            defer { pair.close() }
            @Sendable func fill() {
                check.attempt {
                    _ = try loop.watch(pair.near, for: .write) { _ in }
                    if check.has(.processSignals) { _ = try loop.onSignal(.user1) {} }
                }
                loop.schedule(after: .milliseconds(1)) {}
            }
            if isOwned {
                try check.sync(loop, fill)
                try check.sync(loop)
            } else {
                fill()
                try check.turns(loop, 2)
            }
            loop.dispose()
        }
        func round(_ count: Int) throws { for _ in 0..<count { for isOwned in check.owners { try once(isOwned) } } }
        let first = ProcessResources.current()
        try round(20)
        let (before, heap) = (ProcessResources.current(), Platform.heapInUse)
        let threads = ProcessResources.threadCount
        try round(check.rounds(100))
        // The system lists a joined thread for a moment, because the kernel wakes the joiner before it removes the
        // thread.
        try check.wait(until: "no loop's thread is left") { ProcessResources.loopThreads().isEmpty }
        // A library may have started some threads for all loops.
        try check.wait(until: "fewer than 50 more threads exist") { ProcessResources.threadCount < threads + 50 }
        let after = ProcessResources.current()
        let (left, lost) = (after.leftSince(before), first.leftSince(after))
        check.expect(left.isEmpty, "nothing is left", seen: left.joined(separator: ", "))
        check.expect(lost.isEmpty, "the loops close no descriptor of others", seen: lost.joined(separator: ", "))
        let growth = Platform.heapInUse - heap
        check.expect(growth < 100_000, "the heap grows by less than 100 000 bytes", seen: "\(growth) bytes")
    }

    static let z5 = Rule(
        "Z5",
        "Under ThreadSanitizer and AddressSanitizer nothing is reported: no race, no use after free.",
        .stochastic,
        needs: [.sanitizer, .ownThread, .descriptors]
    ) { check, loop in
        for round in 0..<50 {
            let pair = SocketPair()
            defer { pair.close() }
            let plain = Unprotected()
            let made = Box<(any DescriptorWatch)?>(nil)
            try check.sync(loop) {
                check.attempt { made.value = try loop.watch(pair.near, for: .read) { _ in plain.value += 1 } }
            }
            check.onThreads(3) { number in
                Descriptor.put("x", to: pair.far)
                loop.execute { plain.value += 1 }
                loop.schedule(after: .microseconds(number * 10)) { plain.value += 1 }.dispose()
                if number == round % 3 { made.value?.dispose() }
            }
            try check.sync(loop)
            made.value = nil
        }
    }
}

/// Creates and releases each kind of object that a loop can contain.
enum Holdings {
    static func kinds(_ check: Check, _ loop: any LoopScheduler) -> [(String, () throws -> Void)] {
        let pair = check.pair()
        var kinds: [(String, () throws -> Void)] = [
            ("work", { loop.schedule {}.dispose() }),
            ("a timer", { loop.schedule(after: .seconds(1)) {}.dispose() }),
            ("a repeating timer", { loop.schedule(every: .seconds(1)) {}.dispose() }),
            ("a watch", { try loop.watch(pair.near, for: [.read, .write]) { _ in }.dispose() }),
        ]
        let absent = check.description.allAbsent
        if absent[.processSignals] == nil {
            kinds.append(("a signal handler", { try loop.onSignal(.user1) {}.dispose() }))
        }
        if absent[.sockets] != nil { return kinds }
        return kinds + [
            ("a listener", { try Listener(on: .loopback(port: 0), loop: loop).close() }),
            ("a connection", { try connection(loop) }),
            ("a datagram socket", { try DatagramSocket(on: .loopback(port: 0), loop: loop).close() }),
            (
                "a server",
                { try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { $0.send(from: $0.received) }.stop() }
            ),
            (
                "an attempt to connect",
                {
                    Connection.connect(to: .loopback(port: 9), loop: loop).subscribe(
                        onValue: { _ in },
                        onTermination: { _ in }
                    ).dispose()
                }
            ),
        ]
    }

    private static func connection(_ loop: any LoopScheduler) throws {
        let pair = SocketPair()
        defer { pair.close() }
        let connection = try Connection(adopting: Descriptor.copy(of: pair.near), loop: loop)
        connection.setTimeouts(ConnectionTimeouts(idle: .seconds(1), lifetime: .seconds(1)))
        connection.send(from: connection.received)
        connection.isWritable.signal.subscribe()
        connection.abort()
    }
}
