// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// The clients that monitor all requests (`MONITOR`).
final class Monitors: Sendable {
    private let lines = Subject<Bytes, Never>()
    private let count = Atomic(0)

    /// Whether there is a monitor.
    var isWatching: Bool { count.load(ordering: .relaxed) > 0 }

    func add(_ client: Client) -> any Disposable {
        let subscription = lines.signal.subscribe(onValue: { [outbox = client.outbox] line in outbox.send(line) })
        count.add(1, ordering: .relaxed)
        subscription.onDispose { [self] in count.subtract(1, ordering: .relaxed) }
        return subscription
    }

    /// Sends a request to the monitors: the time, the client's address, and the words in quotes.
    func show(_ request: Request) {
        let time = WallClock.now
        let fraction = String(1_000_000 + time.microseconds).dropFirst()
        var line = Array("+\(time.seconds).\(fraction) [0 \(request.client.address)]".utf8)
        let secrets = Self.secrets(of: request)
        for (index, word) in request.words(from: 0).enumerated() {
            line += [ASCII.space, ASCII.quote]
            for byte in secrets.contains(index) ? "(redacted)" : word { Self.append(byte, to: &line) }
            line.append(ASCII.quote)
        }
        line += [ASCII.carriageReturn, ASCII.lineFeed]
        lines.send(Bytes(line))
    }

    /// The indices of words to hide: the user and the password of `HELLO 2 AUTH`.
    private static func secrets(of request: Request) -> Set<Int> {
        guard request.name == CommandName("hello"), request.count > 1, Decimal.parse(request[1]) == 2 else { return [] }
        var (index, found) = (2, Set<Int>())
        while index + 1 < request.count {
            switch request.option(index) {
            case CommandName("setname"): index += 2
            case CommandName("auth") where index + 2 < request.count:
                found.formUnion([index + 1, index + 2])
                index += 3
            default: return found
            }
        }
        return found
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func append(_ byte: UInt8, to line: inout [UInt8]) {
        switch byte {
        case ASCII.quote, ASCII.backslash: line += [ASCII.backslash, byte]
        case ASCII.lineFeed: line += Array("\\n".utf8)
        case ASCII.carriageReturn: line += Array("\\r".utf8)
        case 9: line += Array("\\t".utf8)
        case 8: line += Array("\\b".utf8)
        case 7: line += Array("\\a".utf8)
        case 32...126: line.append(byte)
        default:
            line.append(ASCII.backslash)
            line.append(UInt8(ascii: "x"))
            line.append(digits[Int(byte >> 4)])
            line.append(digits[Int(byte & 15)])
        }
    }
}
