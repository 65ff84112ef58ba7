import Foundation
import HeapProbe
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerEngine

/// Z1, Z2, Z3: each kind of thing a loop holds, made and let go of 2 000 times: descriptors and memory are as before, and the
/// loop has nothing left to wait for.
func census(_ kind: LoopKind) throws {
    let loop = try kind.make()
    let pair = SocketPair()
    let listener = try Listener(on: .loopback(port: 0), loop: loop)
    let address = listener.localAddress
    let kinds: [(String, () throws -> Void)] = [
        ("work", { loop.schedule {}.dispose() }),
        ("a timer", { loop.schedule(after: .seconds(1)) {}.dispose() }),
        ("a repeating timer", { loop.schedule(every: .seconds(1)) {}.dispose() }),
        ("a watch", { try loop.watch(pair.near, for: [.read, .write]) { _ in }.dispose() }),
        ("a signal handler", { try loop.onSignal(.user1) {}.dispose() }),
        ("a listener", { try Listener(on: .loopback(port: 0), loop: loop).close() }),
        (
            "a connection",
            {
                let ends = descriptors()
                let connection = try Connection(adopting: ends.0, loop: loop)
                connection.setTimeouts(ConnectionTimeouts(idle: .seconds(1), whole: .seconds(1)))
                connection.send(from: connection.received)
                connection.isWritable.signal.subscribe()
                connection.abort()
                close(ends.1)
            }
        ),
        ("a datagram socket", { try DatagramSocket(on: .loopback(port: 0), loop: loop).close() }),
        ("an attempt to connect", { Connection.connect(to: address, loop: loop).subscribe().dispose() }),
        (
            "a server",
            {
                let server = try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { $0.send(from: $0.received) }
                server.stop()
            }
        ),
    ]
    for (name, make) in kinds {
        func repeated(_ count: Int) throws {
            for number in 0..<count {
                try make()
                if number % 50 == 49 { try loop.turns(3) }
            }
            try loop.turns(5)
        }
        // What is made once, and the arrays that grow, are there after the first round.
        try repeated(2000)
        let (descriptors, heap) = (openDescriptors(), heap_bytes_in_use())
        try repeated(2000)
        check(openDescriptors() == descriptors, "\(name): \(openDescriptors()) descriptors after \(descriptors)")
        let growth = Int(heap_bytes_in_use()) - Int(heap)
        check(growth < 4 * 2000, "\(name): \(growth) bytes more on the heap")
    }
    listener.close()
    try loop.turns(2)
    // Nothing is left that it would wait for.
    try loop.runUntilIdle()
    loop.dispose()
}

/// Two ends of a stream.
private func descriptors() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    check(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
}

private func openDescriptors() -> Int {
    (0..<Int32(1024)).count { fcntl($0, F_GETFD) != -1 }
}

/// N5: with no descriptor left the loop does not spin, those accepted are served, and the others when there are descriptors.
func exhaustion(_ loop: any LoopScheduler) throws {
    let listener = try Listener(on: .loopback(port: 0), loop: loop)
    let served = Recorder<Connection>()
    listener.connections.subscribe(onValue: { connection in
        served.append(connection)
        connection.send(from: connection.received)
    })
    // Twenty wait in the kernel, with something to say, when the limit falls.
    let clients = (0..<20).map { _ in client(of: listener.localAddress) }
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t((clients.max() ?? 0) + 6)
    check(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    loop.schedule(after: .milliseconds(200)) { loop.stop() }
    try loop.run()
    // How many exactly is a matter of what the loop itself holds.
    let room = served.values.count
    check(room > 0 && room < 12, "\(room) are served with a handful of descriptors")
    try loop.turns { clients.prefix(room).allSatisfy { peek(at: $0) } }
    for client in clients.prefix(room) { check(take(from: client) == 1) }

    let (first, last) = (Box<UInt64>(0), Box<UInt64>(0))
    loop.execute { first.value = loop.turn }
    let begin = loop.now
    loop.schedule(after: .milliseconds(500)) { loop.stop() }
    try loop.run()
    loop.execute { last.value = loop.turn }
    try loop.turns(2)
    let turns = last.value - first.value
    check(loop.now - begin >= .milliseconds(500))
    check(turns <= 30, "\(turns) turns in half a second")
    check(served.values.count == room, "\(served.values.count) are served")

    // Each one that goes makes room for another.
    for number in 0..<clients.count {
        var got = 0
        if number >= room { try loop.turns { take(from: clients[number]) == 1 } }
        put("again", to: clients[number])
        try loop.turns {
            got += max(0, take(from: clients[number]))
            return got == 5
        }
        close(clients[number])
    }
    try loop.turns { served.values.count == clients.count }
    listener.close()
    try loop.turns(2)
}

private func peek(at descriptor: Int32) -> Bool {
    var byte = UInt8(0)
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) == 1
}

private func client(of address: SocketAddress) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = address.port.bigEndian
    target.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &target) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    check(code == 0)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    put("x", to: descriptor)
    return descriptor
}
