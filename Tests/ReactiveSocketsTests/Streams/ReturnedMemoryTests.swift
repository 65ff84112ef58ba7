// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// The resident memory of this process in bytes.
private var resident: Int {
    let fields = ProcFS.text(of: "/proc/self/statm")?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
}

/// Connects a peer that reads nothing, and sends buffers of `size` bytes, until the send buffer of the kernel is full
/// and another mebibyte waits.
private func connectWithoutReading(to server: TestServer, _ size: Int) throws -> (RawPeer, Connection) {
    let (client, connection) = try server.connect(receiveBuffer: 4096)
    let block = [UInt8](repeating: 1, count: size)
    try server.loop.turns {
        connection.send(Bytes(block))
        return !connection.isWritable.value
    }
    // Each buffer has memory of its own.
    for _ in 0..<(1 << 20) / size { connection.send(Bytes(block)) }
    try server.loop.turns(2)
    return (client, connection)
}

extension Sockets {
    /// The resident memory after peers that did not read have left. Each case has its own process, because the memory
    /// is that of the process.
    @Suite struct ReturnedMemoryTests {
        @Test(
            "The memory of peers that read nothing returns to the system after they have left",
            arguments: LoopKind.all,
            [64 * 1024, 1000]
        )
        func returned(_ kind: LoopKind, _ size: Int) async {
            await #expect(processExitsWith: .success) { [name = kind.rawValue as String, size] in
                // A sanitizer has another malloc.
                if reactive_is_sanitized() { return }
                let server = try TestServer(#require(LoopKind(rawValue: name)))
                let before = resident
                var guests: [(RawPeer, Connection)] = []
                while resident < before + 64 << 20 { guests.append(try connectWithoutReading(to: server, size)) }
                // The memory of this one lies behind that of the others, which malloc alone would therefore keep.
                let last = try connectWithoutReading(to: server, size)
                for (client, _) in guests { client.close() }
                guests = []
                try server.loop.turns { resident < before + 16 << 20 }
                withExtendedLifetime(last) {}
            }
        }
    }
}
