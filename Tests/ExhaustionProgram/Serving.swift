// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Refusals
import SchedulerConformance
import SchedulerEngine

/// A server on a loop that owns its thread serves clients while calls are refused. The server must not trap or spin,
/// and must serve again when calls succeed again.
func servingWithout(_ resource: Resource, _ kind: LoopKind, after: Int) -> Int32 {
    do {
        let loop = try kind.make(thread: .owned)
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        listener.connections.subscribe(
            onValue: { connection in connection.send(from: connection.received) },
            onTermination: noFailure()
        )
        let datagrams = try DatagramSocket(on: .loopback(port: 0), loop: loop)
        let received = Box(0)
        datagrams.received.subscribe(onValue: { _ in received.increment() }, onTermination: { _ in })
        let sender = try DatagramSocket(to: datagrams.localAddress, loop: loop)
        let port = listener.localAddress.port
        if plain_echo(port, 20_000) != 0 { return 2 }

        let (begin, isAnswered) = (Latch(), Latch(8))
        let askers = (0..<8).map { _ in TestThread { ask(loop, begin, isAnswered) } }
        resource.refuse(after: after, count: .max)
        begin.arrive()
        for asker in askers { try asker.join() }
        // One connected client that sends nothing, and one datagram that waits.
        let quiet = (0..<3).map { _ in plain_connect(port) }
        sender.send("ping").subscribe(onTermination: { _ in })
        for _ in 0..<5 { _ = plain_echo(port, 20) }
        useOn(loop)
        for _ in 0..<10 { loop.schedule(after: .microseconds(100)) {} }
        let (busy, start) = (plain_cpu_us(), loop.now)
        Platform.pause(.milliseconds(300))
        // A loop that spins uses all of this time, which may be longer on a busy machine.
        if Double(plain_cpu_us() - busy) > (loop.now - start) / .microseconds(2) { return 4 }
        // This must hold even if no thread can be created for the lookup, well before the time limit of a lookup.
        let limit = loop.now + .seconds(20)
        while !isAnswered.isOpen {
            if loop.now > limit { return 6 }
            Platform.pause(.milliseconds(1))
        }
        resource.allow()

        var tries = 0
        while plain_echo(port, 500) != 0 {
            tries += 1
            if tries > 40 { return 5 }
        }
        let before = received.value
        while received.value == before {
            sender.send("ping").subscribe(onTermination: { _ in })
            Platform.pause(.milliseconds(1))
        }
        for descriptor in quiet { close(descriptor) }
        loop.dispose()
        return 0
    } catch {
        print("before anything was refused: \(error)")
        fflush(nil)
        return 3
    }
}

/// One of several threads that look up a name at the same moment. Each lookup must terminate, possibly with a
/// failure.
private func ask(_ loop: any LoopScheduler, _ begin: Latch, _ isAnswered: Latch) {
    try? begin.wait()
    Resolver.system.addresses(of: "localhost", port: 80, loop: loop)
        .subscribe(onValue: { _ in }, onTermination: { _ in isAnswered.arrive() })
}

/// Other operations of a service. Each may fail with a typed error.
private func useOn(_ loop: any LoopScheduler) {
    Connection.connect(to: .loopback(port: 9), loop: loop).subscribe(onValue: { _ in }, onTermination: { _ in })
    Resolver.system.addresses(of: "localhost", port: 80, loop: loop).subscribe(
        onValue: { _ in },
        onTermination: { _ in }
    )
    let done = Latch()
    loop.execute {
        if let child = try? ChildProcess("/bin/true", loop: loop) {
            child.exit.subscribe(onValue: { _ in }, onTermination: { _ in })
        }
        if let other = try? Listener(on: .loopback(port: 0), loop: loop) {
            other.connections.subscribe(onValue: { _ in }, onTermination: { _ in })
            other.close()
        }
        (try? loop.onSignal(.user2) {})?.dispose()
        done.arrive()
    }
    try? done.wait()
}
