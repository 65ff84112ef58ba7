// SPDX-License-Identifier: MIT
import Dispatch
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Refusals
import SchedulerConformance
import SchedulerDispatch
import SchedulerEngine

let nothingRefused: Int32 = 42

/// Creates everything while calls are refused, which may only throw typed errors. Then creates everything again,
/// which must succeed.
func startedWithout(_ resource: Resource, _ kind: LoopKind, after: Int, count: Int) -> Int32 {
    resource.refuse(after: after, count: count)
    let refused = useEverything(kind, isStrict: false, withQueue: resource != .threads)
    let wasRefused = resource.isLimited ? refused != nil : refusals() > 0
    resource.allow()
    if !wasRefused { return nothingRefused }
    let failure = useEverything(kind, isStrict: true)
    if let failure { print("when there is enough again: \(failure)") }
    fflush(nil)
    return failure == nil ? 0 : 3
}

/// Creates loops with every kind of thread, creates every kind of socket on one of them, and uses each. Returns the
/// first failure. Skips the queue if `withQueue` is false, because a queue waits for a thread without limit.
func useEverything(_ kind: LoopKind, isStrict: Bool, withQueue: Bool = true) -> String? {
    var failure: String?
    func attempt(_ what: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            precondition(error is LoopError || error is SocketError || error is Failure, "\(error) is not typed")
            failure = failure ?? "\(what): \(error)"
        }
    }
    attempt("the main loop") { try kind.main.runOnce(waiting: false) }
    attempt("a loop with a thread") {
        let loop = try kind.make(thread: .owned)
        let isDone = Latch()
        loop.schedule(after: .milliseconds(1)) { isDone.arrive() }
        try isDone.wait()
        loop.dispose()
    }
    if kind == .dispatch, withQueue {
        attempt("a queue's guest") {
            let queue = DispatchQueue(label: "host")
            let guest = try DispatchLoop(attachedTo: queue)
            let isDone = Latch()
            guest.schedule(after: .milliseconds(1)) { isDone.arrive() }
            try isDone.wait()
            queue.sync { guest.dispose() }
        }
    }
    attempt("a loop") {
        let loop = try kind.make()
        defer { loop.dispose() }
        attempt("an echo") { try echo(loop, isStrict) }
        attempt("datagrams") { try datagrams(loop, isStrict) }
        attempt("a child") {
            let child = try ChildProcess("/bin/true", loop: loop)
            try finish(child.exit.map { _ in }, on: loop, isStrict)
        }
        attempt("a name") {
            let addresses = Resolver.system.addresses(of: "localhost", port: 80, loop: loop)
            try finish(addresses.map { _ in }, on: loop, isStrict)
        }
        attempt("a signal's handler") {
            let count = Box(0)
            let handle = try loop.onSignal(.user1) { count.increment() }
            kill(getpid(), SIGUSR1)
            try loop.turns { count.value == 1 }
            handle.dispose()
        }
        attempt("a timer") {
            let isDone = Box(false)
            loop.schedule(after: .milliseconds(1)) { isDone.value = true }
            while !isDone.value { try loop.runOnce(waiting: true) }
        }
    }
    return failure
}

struct Failure: Error, CustomStringConvertible { let description: String }

/// Runs turns until the signal has terminated. If `isStrict` is false, stops after 100 ms.
private func finish(_ signal: Signal<Void, SocketError>, on loop: any LoopScheduler, _ isStrict: Bool) throws {
    let end = Box<Termination<SocketError>?>(nil)
    let subscription = signal.subscribe(onValue: { _ in }, onTermination: { end.value = $0 })
    defer { subscription.dispose() }
    let limit = loop.now + (isStrict ? .seconds(20) : .milliseconds(100))
    while end.value == nil, loop.now < limit { try loop.runOnce(waiting: false) }
    if case .failed(let error) = end.value { throw error }
    if end.value == nil, isStrict { throw Failure(description: "it has not terminated") }
}

private func echo(_ loop: any LoopScheduler, _ isStrict: Bool) throws {
    let listener = try Listener(on: .loopback(port: 0), loop: loop)
    defer { listener.close() }
    listener.connections.subscribe(
        onValue: { connection in connection.send(from: connection.received) },
        onTermination: { _ in }
    )
    let reply = Connection.connect(to: listener.localAddress, loop: loop).flatMap { connection in
        connection.send("ping").subscribe(onTermination: { _ in })
        return connection.received.take(1)
    }
    try finish(reply.map { _ in }, on: loop, isStrict)
}

private func datagrams(_ loop: any LoopScheduler, _ isStrict: Bool) throws {
    let server = try DatagramSocket(on: .loopback(port: 0), loop: loop)
    defer { server.close() }
    let client = try DatagramSocket(to: server.localAddress, loop: loop)
    defer { client.close() }
    client.send("ping").subscribe(onTermination: { _ in })
    try finish(server.received.take(1).map { _ in }, on: loop, isStrict)
}
