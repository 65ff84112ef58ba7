// SPDX-License-Identifier: MIT
import ReactiveSockets

@testable import KeyValueService

/// Reads replies from a server's bytes. Each byte must be part of a reply.
struct Replies {
    private var bytes: [UInt8] = []
    private var position = 0

    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    mutating func add(_ chunk: Bytes) {
        bytes.removeFirst(position)
        position = 0
        bytes += chunk
    }

    /// Returns the next reply, or `nil` if its rest has not arrived.
    mutating func next() throws -> Reply? {
        let begin = position
        if let reply = try read() { return reply }
        position = begin
        return nil
    }

    private mutating func read() throws -> Reply? {
        guard position < bytes.count else { return nil }
        let sign = bytes[position]
        position += 1
        guard let line = readLine() else { return nil }
        switch sign {
        case ASCII.plus: return line == "OK" ? .ok : .status(line)
        case ASCII.minus: return .error(line)
        case ASCII.colon: return .integer(try number(line))
        case ASCII.dollar: return try readBulk(number(line))
        case ASCII.star:
            var replies: [Reply] = []
            for _ in 0..<(try number(line)) {
                guard let reply = try read() else { return nil }
                replies.append(reply)
            }
            return .array(replies)
        default: throw Broken(description: "a reply that begins with byte \(sign)")
        }
    }

    private mutating func readBulk(_ count: Int) throws -> Reply? {
        if count < 0 { return .null }
        guard bytes.count - position >= count + 2 else { return nil }
        defer { position += count + 2 }
        guard bytes[position + count] == ASCII.carriageReturn, bytes[position + count + 1] == ASCII.lineFeed else {
            throw Broken(description: "a value of \(count) bytes does not end with a line's end")
        }
        return .bulk(Bytes(bytes[position..<position + count]))
    }

    private mutating func readLine() -> Bytes? {
        guard let end = bytes[position...].firstIndex(of: ASCII.lineFeed) else { return nil }
        defer { position = end + 1 }
        return Bytes(bytes[position..<end - 1])
    }

    private func number(_ line: Bytes) throws -> Int {
        guard let number = Decimal.parse(line) else { throw Broken(description: "\(line) is no number") }
        return number
    }
}

extension Peer {
    /// Returns the next reply, or `nil` at end of stream.
    func reply(_ replies: inout Replies) async throws -> Reply? {
        while true {
            if let reply = try replies.next() { return reply }
            guard let chunk = try await chunk() else { return nil }
            replies.add(chunk)
        }
    }
}
