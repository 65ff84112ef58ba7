// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import Testing

/// Misuses of the API. Each key is the sentence that its misuse prints.
private let misuses: [String: @Sendable () throws -> Void] = [
    "cannot frame by an empty delimiter: pass at least one byte": { _ = Framing.delimiter(Bytes()) },
    "cannot frame by a length prefix of 3 bytes: use 1, 2, 4 or 8": { _ = Framing.lengthPrefix(bytes: 3) },
    "this framing cannot encode: pass `encode` to its initializer": {
        _ = try Framing { _ in .incomplete }.encode("a")
    },
    "cannot read an integer of 16 bytes: use a type with at most 8 bytes": {
        _ = Bytes(repeating: 0, count: 16).integer(at: 0, as: UInt128.self)
    },
    "cannot encode an integer of 16 bytes: use a type with at most 8 bytes": { _ = Bytes(UInt128(1)) },
    "index 3 is out of bounds: these bytes have the indices 0..<3": { _ = Bytes("abc")[3] },
    "range 1..<4 is out of bounds: these bytes have the indices 0..<3": { _ = Bytes("abc")[1..<4] },
    "cannot split -1 times: use 0 or more": { _ = Bytes("abc").split(separator: "b" as Bytes, maxSplits: -1) },
    "a ConnectionTransformer used its own connection from a call: produce bytes through the `out` parameter": {
        let loop = try LoopKind.dispatch.make()
        let transformer = SendingTransformer()
        let connection = try Connection(adopting: Descriptor.sockets().near, loop: loop, transformer: transformer)
        transformer.connection.value = connection
        connection.send("a")
        try loop.turns(4)
    },
]

extension Sockets {
    @Suite struct MisuseTests {
        @Test("A misuse prints its sentence, in release builds too", arguments: misuses.keys.sorted())
        func sentence(_ sentence: String) async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [sentence] in
                try misuses[sentence]!()
            }
            let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(said.contains(sentence))
        }
    }
}

/// Uses its connection to send, where it must use `out`.
private struct SendingTransformer: ConnectionTransformer {
    let connection = Box<Connection?>(nil)

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {}

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { connection.value?.send(bytes) }
}
