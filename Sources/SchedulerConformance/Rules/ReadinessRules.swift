// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets

/// N1–N3, N21: the readiness that a watch reports.
enum ReadinessRules {
    static let all = [n1, n2, n3, n21]

    static let n1 = Rule(
        "N1",
        "Watches report read readiness on data, end of stream, reset and hang-up, and write readiness on connection or refusal.",
        needs: [.descriptors]
    ) { check, loop in
        let data = check.pair()
        try told(check, loop, data.near, .read, "data") { Descriptor.put("x", to: data.far) }
        let end = check.pair()
        try told(check, loop, end.near, .read, "the end of stream") { Descriptor.endSending(end.far) }
        check.equal(Descriptor.take(from: end.near), 0, "the result of a read at the end of stream")
        let gone = check.pair()
        try told(check, loop, gone.near, [.read, .write], "a hang-up") { gone.closeFar() }
        // Closing with unread data causes a reset.
        let reset = check.pair()
        Descriptor.put("unread", to: reset.near)
        try told(check, loop, reset.near, .read, "a reset") { reset.closeFar() }
        check.equal(Descriptor.take(from: reset.near), -1, "the result of a read after the reset")
        try pipes(check, loop)
        try terminal(check, loop)
        try zero(check, loop)
        if check.has(.realTime) {
            for delay in [500, 300, 150, 60, 20] { try duringWaits(check, loop, .milliseconds(delay)) }
        }
        let listener = RawSocket.listener()
        for (address, isRefused) in [(RawSocket.closedAddress, true), (listener.address, false)] {
            let client = RawSocket.connecting(to: address)
            let what = isRefused ? "a refused connection" : "a connection"
            try told(check, loop, client, .write, what)
            let error = RawSocket.takeError(of: client)
            check.expect(
                (error != 0) == isRefused,
                "SO_ERROR of \(what) is \(isRefused ? "set" : "0")",
                seen: "\(error)"
            )
            Descriptor.close(client)
        }
        Descriptor.close(listener.descriptor)
        try datagrams(check, loop)
    }

    /// Sends datagrams to a closed port. Each time the answer of the system must be reported.
    private static func datagrams(_ check: Check, _ loop: any LoopScheduler) throws {
        let socket = RawSocket.make(.datagram, .ipv4, isBlocking: false)
        defer { Descriptor.close(socket) }
        RawSocket.connect(socket, to: RawSocket.closedAddress)
        // A firewall may drop the answers.
        Descriptor.put("x", to: socket)
        var isAnswered = false
        for _ in 0..<100 where !isAnswered {
            isAnswered = RawSocket.takeError(of: socket) != 0
            if !isAnswered { Platform.pause(.milliseconds(1)) }
        }
        guard isAnswered else { return check.note("skipped: the system reports no refused datagram") }
        let calls = Box(0)
        let watch = try loop.watch(socket, for: .read) { _ in calls.increment() }
        defer { watch.dispose() }
        for time in ["first", "second"] {
            try check.turns(loop, 2)
            let before = calls.value
            Descriptor.put("x", to: socket)
            try check.turns(loop, until: "the \(time) refused datagram is reported") { calls.value > before }
            try waitingTurn(check, loop, "the \(time) refused datagram", calls)
            check.expect(RawSocket.takeError(of: socket) != 0, "SO_ERROR of a refused datagram is set", seen: "0")
        }
    }

    /// Runs turns until the watch has reported all of `interest`.
    private static func told(
        _ check: Check,
        _ loop: any LoopScheduler,
        _ descriptor: Int32,
        _ interest: Readiness,
        _ what: String,
        _ cause: () -> Void = {}
    ) throws {
        let (seen, flags) = (Box(Readiness()), Descriptor.flags(of: descriptor))
        let watch = try loop.watch(descriptor, for: interest) { ready in
            seen.update { seen in seen.formUnion(ready) }
        }
        defer { watch.dispose() }
        try check.turns(loop, 1)
        check.equal(Descriptor.flags(of: descriptor), flags, "the flags of a watched descriptor")
        cause()
        try check.turns(loop, until: "\(what) is reported as \(interest)") { seen.value == interest }
    }

    /// Runs a turn that may wait while a watch is ready. Another thread ends the wait if it takes too long.
    private static func waitingTurn(
        _ check: Check,
        _ loop: any LoopScheduler,
        _ what: String,
        _ calls: Box<Int>
    ) throws {
        let (before, isOver, isLate) = (calls.value, Latch(), Box(false))
        let worker = check.thread {
            if isOver.wait(check.patience) { return }
            isLate.value = true
            loop.execute {}
        }
        try check.step("takes a turn that may wait", { try loop.runOnce(waiting: true) })
        isOver.arrive()
        worker.join()
        if isLate.value || calls.value == before {
            throw Broken("a turn that may wait reports \(what)", "no call within \(check.patience)")
        }
    }

    /// An event and a hop end a wait that has a deadline. The machine may stop this process meanwhile, but hardly each time.
    private static func duringWaits(_ check: Check, _ loop: any LoopScheduler, _ delay: Duration) throws {
        for isHop in [false, true] {
            let what = isHop ? "a hop" : "an event"
            var isInTime = false
            for _ in 0..<5 where !isInTime {
                let (pair, arrived, fired) = (check.pair(), Box(false), Box(false))
                let watch = try loop.watch(pair.near, for: .read) { _ in
                    Descriptor.take(from: pair.near)
                    arrived.value = true
                }
                let timer = loop.schedule(after: delay * check.scale) { fired.value = true }
                let worker = check.thread(duringRunOf: loop) {
                    Platform.pause(delay / 10)
                    if isHop { loop.execute { arrived.value = true } } else { Descriptor.put("x", to: pair.far) }
                }
                check.note("waits for \(what)")
                while !arrived.value, !fired.value { try loop.runOnce(waiting: true) }
                isInTime = arrived.value && !fired.value
                worker.join()
                for handle: any Disposable in [timer, watch] { handle.dispose() }
            }
            check.expect(
                isInTime,
                "\(what) ends a wait before a timer of \(delay)",
                seen: "the timer fired first, 5 times"
            )
        }
    }

    /// Number 0 is a descriptor like any other. This one is blocking.
    private static func zero(_ check: Check, _ loop: any LoopScheduler) throws {
        if Platform.simulated != nil { return }
        let input = Descriptor.copy(of: 0)
        let far = Descriptor.socket(at: 0)
        Descriptor.setBlocking(0, true)
        defer {
            if input >= 0 { Descriptor.restore(input, as: 0) } else { Descriptor.close(0) }
            Descriptor.close(far)
        }
        try told(check, loop, 0, .read, "data of descriptor 0") { Descriptor.put("x", to: far) }
    }

    /// A pipe whose other end is closed is ready in every turn.
    private static func pipes(_ check: Check, _ loop: any LoopScheduler) throws {
        for isWriter in [false, true] {
            let ends = Descriptor.pipe()
            // Only the hang-up must make the writing end ready, so the pipe is full.
            if isWriter { Descriptor.fill(ends.writing) }
            let calls = Box(0)
            let (own, other) = isWriter ? (ends.writing, ends.reading) : (ends.reading, ends.writing)
            let interest: Readiness = isWriter ? .write : .read
            let what = isWriter ? "a full pipe's writing end" : "an empty pipe's reading end"
            defer { Descriptor.close(own) }
            let watch = try loop.watch(own, for: interest) { _ in calls.increment() }
            defer { watch.dispose() }
            try check.turns(loop, 2)
            check.equal(calls.value, 0, "calls before any event")
            if !isWriter {
                Descriptor.fill(ends.writing)
                try check.turns(loop, 3)
                check.equal(calls.value, 3, "calls in three turns with unread bytes in a pipe")
                while Descriptor.take(from: own) > 0 {}
            }
            Descriptor.close(other)
            for _ in 0..<5 {
                let before = calls.value
                try check.turns(loop, until: "\(what) is reported again after its other end was closed") {
                    calls.value > before
                }
            }
            try waitingTurn(check, loop, "\(what) whose other end was closed", calls)
            // An empty interest stops even these reports.
            try watch.setInterest([])
            let before = calls.value
            try check.turns(loop, 5)
            check.equal(calls.value, before, "calls with an empty interest")
            try watch.setInterest(interest)
            try check.turns(loop, until: "\(what) is reported after its interest was restored") { calls.value > before }
        }
    }

    /// A terminal with an unread line is ready in every turn.
    private static func terminal(_ check: Check, _ loop: any LoopScheduler) throws {
        guard let ends = Descriptor.terminal() else { return check.note("skipped: the system has no pseudo-terminals") }
        defer { for end in [ends.near, ends.far] { Descriptor.close(end) } }
        let calls = Box(0)
        let watch = try loop.watch(ends.near, for: .read) { _ in calls.increment() }
        defer { watch.dispose() }
        try check.turns(loop, 2)
        check.equal(calls.value, 0, "calls before any line")
        Descriptor.put("line\n", to: ends.far)
        // A thread of the kernel passes the line on.
        try check.turns(loop, until: "a line of a terminal is reported") { calls.value > 0 }
        let before = calls.value
        try check.turns(loop, 3)
        check.equal(calls.value - before, 3, "calls in three turns with an unread line in a terminal")
        Descriptor.take(5, from: ends.near)
        try check.turns(loop, 2)
        check.equal(calls.value - before, 3, "calls after two more turns without a line")
    }

    static let n2 = Rule(
        "N2",
        "Readiness is level-triggered: a watch is called in every turn with unread data, and in no other turn."
    ) { check, loop, pair in
        let calls = Box(0)
        Descriptor.put("xyz", to: pair.far)
        let watch = try loop.watch(pair.near, for: .read) { ready in
            check.equal(ready, .read, "the reported readiness")
            if calls.increment() > 3 { Descriptor.take(1, from: pair.near) }
        }
        try check.turns(loop, 6)
        check.equal(calls.value, 6, "calls in six turns with unread data")
        try check.turns(loop, 3)
        check.equal(calls.value, 6, "calls after three more turns without unread data")
        if check.has(.ownRun) {
            Descriptor.put("x", to: pair.far)
            check.thread { try check.turns(loop, 2) }.join()
            check.equal(calls.value, 7, "calls after two turns with another byte, on another thread")
        }
        watch.dispose()
        DescriptorLimit.raise()
        for hasTimer in [false, true] { try someUnread(check, hasTimer: hasTimer) }
        try manyUnread(check, loop)
    }

    /// Watches 1100 descriptors with an unread byte, or as many as the limit permits. Each of them is called.
    private static func manyUnread(_ check: Check, _ loop: any LoopScheduler) throws {
        // The kernel refuses to watch more than 500 copies of one socket in a nested epoll set.
        let pairs = (0..<10).map { _ in check.pair() }
        let count = DescriptorLimit.room(for: 1100)
        let copies = (0..<count).map { number in Descriptor.copy(of: pairs[number % pairs.count].near) }
        defer { for copy in copies { Descriptor.close(copy) } }
        let called = Box(Set<Int>())
        let watches = try copies.enumerated().map { number, copy in
            try loop.watch(copy, for: .read) { _ in called.update { _ = $0.insert(number) } }
        }
        try check.turns(loop, 1)
        check.equal(called.value.count, 0, "called watches of \(count), without unread bytes")
        if check.has(.realTime) { try IdleRules.idle(check, loop, "with \(count) silent watches") }
        for pair in pairs { Descriptor.put("x", to: pair.far) }
        // A turn may leave some out (rule S9), but the next turns report these before any descriptor again.
        for _ in 0..<100 where called.value.count < count { try loop.runOnce(waiting: true) }
        check.equal(called.value.count, count, "called watches of \(count), each with an unread byte")
        // A table of the poller may shrink.
        var random = check.random()
        let kept = Set((0..<count).shuffled(using: &random).prefix(count / 10))
        for (number, watch) in watches.enumerated() where !kept.contains(number) { watch.dispose() }
        called.value = []
        for _ in 0..<100 where called.value.count < kept.count { try loop.runOnce(waiting: true) }
        check.equal(called.value, kept, "the called watches after nine of ten have been disposed")
        for number in kept { watches[number].dispose() }
    }

    /// Of 60 watched sockets, up to 24 have unread bytes. Any of them may, and exactly these are called in each turn, whether
    /// the turn may wait or not. Every fourth socket also has a number that is too high for `select`, and is watched by it.
    ///
    /// - Parameter hasTimer: Whether the waits have a deadline, an hour away.
    private static func someUnread(_ check: Check, hasTimer: Bool) throws {
        let loop = try check.loop()
        let timer = hasTimer ? loop.schedule(after: .seconds(3600)) {} : nil
        defer { timer?.dispose() }
        let pairs = (0..<60).map { _ in SocketPair() }
        defer { for pair in pairs { pair.close() } }
        let copies = pairs.enumerated().map { number, pair in number % 4 == 3 ? check.highCopy(of: pair.near) : nil }
        defer { for case let copy? in copies { Descriptor.close(copy) } }
        let calls = Recorder<Int>()
        let watches = try zip(pairs, copies).enumerated().map { number, socket in
            let descriptor = socket.1 ?? socket.0.near
            return try loop.watch(descriptor, for: .read) { _ in
                calls.append(number)
                Descriptor.take(1, from: descriptor)
            }
        }
        var random = check.random()
        var (unread, seen) = ([Int](repeating: 0, count: pairs.count), 0)
        for turn in 0..<100 where check.failure == nil {
            // Two bytes for each, so that the next turn finds the other half unread.
            let next = unread.indices.filter { unread[$0] == 0 }.shuffled(using: &random)
            for number in next.prefix(.random(in: 0...12, using: &random)) {
                Descriptor.put("xy", to: pairs[number].far)
                unread[number] = 2
            }
            let expected = unread.indices.filter { unread[$0] > 0 }
            try loop.runOnce(waiting: turn.isMultiple(of: 2) && !expected.isEmpty)
            let called = calls.values.dropFirst(seen)
            seen += called.count
            check.equal(called.sorted(), expected, "the sockets whose watches are called in turn \(turn)")
            for number in expected { unread[number] -= 1 }
        }
        for watch in watches { watch.dispose() }
    }

    static let n3 = Rule(
        "N3",
        "Several watches of one descriptor are independent; each may be disposed in the callback of another.",
        needs: [.descriptors]
    ) { check in
        for disposesOther in [false, true] {
            let loop = try check.loop()
            let pair = check.pair()
            Descriptor.put("x", to: pair.far)
            let trace = Recorder<String>()
            let reader = Box<(any DescriptorWatch)?>(nil)
            let writer = Box<(any DescriptorWatch)?>(nil)
            reader.value = try loop.watch(pair.near, for: .read) { ready in
                check.equal(ready, .read, "the readiness reported to the reader")
                trace.append("read")
            }
            writer.value = try loop.watch(pair.near, for: .write) { ready in
                check.equal(ready, .write, "the readiness reported to the writer")
                trace.append("write")
                (disposesOther ? reader : writer).value?.dispose()
            }
            try check.turns(loop, 3)
            let counts = [trace.values.count { $0 == "read" }, trace.values.count { $0 == "write" }]
            let isRight = disposesOther ? counts[0] <= 1 && counts[1] == 3 : counts == [3, 1]
            let who = disposesOther ? "the reader" : "the writer"
            check.expect(
                isRight,
                "calls in each of three turns, until the writer's first call disposes \(who)",
                seen: "\(trace.values)"
            )
            // A third watch, whose interest changes.
            let extra = try loop.watch(pair.near, for: []) { _ in trace.append("extra") }
            try extra.setInterest([.read, .write])
            check.equal(extra.interest, [.read, .write], "the changed interest")
            try check.turns(loop, 1)
            check.expect(trace.values.contains("extra"), "a third watch is called", seen: "\(trace.values)")
            for watch in [reader.value, writer.value, extra] { watch?.dispose() }
            (reader.value, writer.value) = (nil, nil)
            try check.step("runUntilIdle, with every watch disposed", loop.runUntilIdle)
        }
        try twoReaders(check)
        if check.has(.ownThread) { try twoLoops(check) }
        if check.failure != nil { return }
        for interest: Readiness in [.read, .write, [.read, .write]] {
            try besideAStaleWatch(check, interest)
            try ofAClosedNumber(check, interest)
        }
    }

    /// A second watch with the same interest leaves the registered interest as it is. Both are called while a byte is unread.
    private static func twoReaders(_ check: Check) throws {
        let (loop, pair) = (try check.loop(), check.pair())
        let (first, second) = (Box(0), Box(0))
        Descriptor.put("x", to: pair.far)
        let watch = try loop.watch(pair.near, for: .read) { _ in first.increment() }
        try check.turns(loop, 3)
        let other = try loop.watch(pair.near, for: .read) { _ in second.increment() }
        try check.turns(loop, 3)
        check.equal([first.value, second.value], [6, 3], "calls of two watches of one descriptor with an unread byte")
        for watch in [watch, other] { watch.dispose() }
    }

    /// Two loops wait for the same descriptor. Both are woken.
    private static func twoLoops(_ check: Check) throws {
        let pair = check.pair()
        let loops = [try check.ownedLoop(), try check.ownedLoop()]
        let calls = loops.map { _ in Box(0) }
        let watches = Recorder<any DescriptorWatch>()
        for (loop, calls) in zip(loops, calls) {
            try check.sync(loop) {
                check.attempt { watches.append(try loop.watch(pair.near, for: .read) { _ in calls.increment() }) }
            }
        }
        try check.wait(until: "both loops sleep") { ProcessResources.othersSleep }
        Descriptor.put("x", to: pair.far)
        try check.wait(until: "both loops call their watch of one descriptor") { calls.allSatisfy { $0.value > 0 } }
        for (loop, watch) in zip(loops, watches.values) { try check.sync(loop) { watch.dispose() } }
    }

    /// A descriptor is closed although it has a watch, and its number is reused. A watch of the new descriptor may be
    /// refused, but must not depend on the old watch.
    private static func besideAStaleWatch(_ check: Check, _ interest: Readiness) throws {
        let loop = try check.loop()
        let (near, far) = Descriptor.sockets()
        let stale = try loop.watch(near, for: interest) { _ in }
        try check.turns(loop, 1)
        let other = Descriptor.socket(at: near)
        let seen = Box(Readiness())
        let watch = try? loop.watch(near, for: interest) { ready in seen.update { $0.formUnion(ready) } }
        stale.dispose()
        if let watch {
            Descriptor.put("x", to: other)
            try check.turns(loop, until: "a watch of a reused number, next to an old watch, reports \(interest)") {
                seen.value == interest
            }
            watch.dispose()
        }
        for descriptor in [near, far, other] { Descriptor.close(descriptor) }
    }

    /// A descriptor is closed although it has a watch, and its number is not reused. Another watch of the number is
    /// refused, or it is never called.
    private static func ofAClosedNumber(_ check: Check, _ interest: Readiness) throws {
        let loop = try check.loop()
        let number = Descriptor.freeNumber()
        let far = Descriptor.socket(at: number)
        let stale = try loop.watch(number, for: interest) { _ in }
        try check.turns(loop, 1)
        Descriptor.close(number)
        let calls = Box(0)
        let watch = try? loop.watch(number, for: interest) { _ in calls.increment() }
        try check.turns(loop, 3)
        check.equal(calls.value, 0, "calls of a watch for \(interest) of a closed number, next to an old watch")
        watch?.dispose()
        stale.dispose()
        Descriptor.close(far)
    }

    static let n21 = Rule(
        "N21",
        "A negative, closed or huge number and a regular file are rejected (`badDescriptor`); nothing leaks, not even memory."
    ) { check, loop, pair in
        let file = Descriptor.openFile("/proc/self/exe")
        // A low number could be reused soon, because libdispatch opens descriptors on a separate thread.
        let closed = Descriptor.copy(of: file, from: 300)
        Descriptor.close(closed)
        let gone = Box(0)
        let heap = Platform.heapInUse
        for interest: Readiness in [[], .read, .write, [.read, .write]] {
            for descriptor in [-1, Int32.min, closed, 1_000_000, 30_000_000, Int32.max, file] {
                let code = failure {
                    let called = Canary.closure(countedBy: gone)
                    try loop.watch(descriptor, for: interest) { _ in called() }.dispose()
                }
                let what = descriptor == file ? "a regular file" : "number \(descriptor), which is not open"
                check.equal(code, .badDescriptor, "the error of a watch of \(what)")
                let growth = Platform.heapInUse - heap
                check.expect(
                    growth < 1_000_000,
                    "less than 1 MB of memory is left after a watch of \(what)",
                    seen: "\(growth) bytes"
                )
                // Otherwise the next number could use all of the machine's memory.
                if check.failure != nil { return Descriptor.close(file) }
            }
        }
        check.equal(gone.value, 28, "released closures of refused watches")
        if check.has(.realTime) { try IdleRules.idle(check, loop, "after watches were refused") }
        Descriptor.close(file)
        // The loop still works.
        try told(check, loop, pair.near, .write, "room in the send buffer")
        try loop.runUntilIdle()
        guard check.has(.sockets) else { return }
        let null = Descriptor.openFile("/dev/null")
        let datagrams = RawSocket.make(.datagram, .ipv4)
        let listener = RawSocket.listener()
        for descriptor in [-1, 100_000, null, datagrams, listener.descriptor] {
            check.equal(
                socketError { _ = try Connection(adopting: descriptor, loop: loop) },
                .badDescriptor,
                "the error of a connection that adopts descriptor \(descriptor)"
            )
        }
        for descriptor in [-1, 100_000, null, datagrams, pair.near] {
            check.equal(
                socketError { _ = try Listener(adopting: descriptor, loop: loop) },
                .badDescriptor,
                "a listener of \(descriptor)"
            )
        }
        // A refused descriptor still belongs to its caller.
        for descriptor in [null, datagrams, listener.descriptor] {
            check.expect(Descriptor.isOpen(descriptor), "the refused descriptor stays open")
            Descriptor.close(descriptor)
        }
    }
}
