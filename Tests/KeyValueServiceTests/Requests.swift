// SPDX-License-Identifier: MIT
import ReactiveSockets

@testable import KeyValueService

/// The result of a parser: the words of each request, and the error after them.
struct Reading: Equatable, CustomStringConvertible {
    var requests: [[Bytes]] = []
    var error: Bytes?

    var description: String { "\(requests) \(error.map { "then \($0)" } ?? "")" }

    init(_ requests: [[Bytes]] = [], error: Bytes? = nil) {
        self.requests = requests
        self.error = error
    }

    /// Reads chunks in order, as from a connection.
    init(_ chunks: [Bytes], _ limits: RequestLimits = RequestLimits()) {
        var parser = RequestParser(limits)
        for chunk in chunks { add(parser.read(chunk)) }
    }

    mutating func add(_ batch: Batch) {
        var first = 0
        for extent in batch.extents {
            requests.append((first..<extent.end).map { batch[$0] })
            first = extent.end
        }
        if let error = batch.error { self.error = error.text }
    }
}

/// Returns a request as an array of bulk strings, the form that client libraries send.
func array(_ words: Bytes...) -> Bytes { array(words) }

func array(_ words: [Bytes]) -> Bytes {
    Bytes(joining: [Bytes("*\(words.count)\r\n")] + words.flatMap { [Bytes("$\($0.count)\r\n"), $0, "\r\n"] })
}

extension Bytes {
    /// Splits the bytes at these offsets.
    func cut(at offsets: [Int]) -> [Bytes] {
        let ends = offsets.filter { $0 > 0 && $0 < count }.sorted() + [count]
        var (pieces, begin) = ([Bytes](), 0)
        for end in ends where end > begin {
            pieces.append(self[startIndex + begin..<startIndex + end])
            begin = end
        }
        return pieces
    }
}

/// A generator of the same pseudorandom numbers in each run.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
