// SPDX-License-Identifier: MIT
import ReactiveSockets

/// The messages that wait for a client that does not read, oldest first.
struct WaitingMessages: Sendable {
    private var messages: [Bytes?] = []
    /// The index of the oldest message. The slots before it are empty.
    private var head = 0
    private var bytes = 0

    var isEmpty: Bool { head == messages.count }
    var count: Int { messages.count - head }

    mutating func append(_ message: Bytes) {
        messages.append(message)
        bytes += message.count
    }

    mutating func popFirst() -> Bytes? {
        guard head < messages.count, let message = messages[head].take() else { return nil }
        head += 1
        bytes -= message.count
        if isEmpty {
            (messages, head) = ([], 0)
        } else if head * 2 > messages.count, head >= 64 {
            messages.removeFirst(head)
            head = 0
        }
        return message
    }

    /// Whether the messages exceed a limit of the settings.
    func exceeds(_ settings: Settings) -> Bool {
        count > settings.waitingMessages || bytes > settings.waitingBytes
    }
}
