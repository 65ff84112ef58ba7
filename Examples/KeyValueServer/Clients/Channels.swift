// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Synchronization

/// The channels and patterns that have subscribers. Each has a subject.
final class Channels: Sendable {
    private let state = Mutex(State())

    private struct State: Sendable {
        var channels: [Bytes: Channel] = [:]
        var patterns: [Bytes: Channel] = [:]

        subscript(kind: Client.Kind, name: Bytes) -> Channel? {
            get { kind == .channel ? channels[name] : patterns[name] }
            set { if kind == .channel { channels[name] = newValue } else { patterns[name] = newValue } }
        }
    }

    private struct Channel: Sendable {
        let glob: Glob
        let messages = Subject<Bytes, Never>()
        var subscribers = 0
    }

    /// The numbers of channels and patterns with subscribers.
    var counts: (channels: Int, patterns: Int) { state.withLock { ($0.channels.count, $0.patterns.count) } }

    func subscribe(
        _ kind: Client.Kind,
        to name: Bytes,
        _ receive: @escaping @Sendable (Bytes) -> Void
    ) -> any Disposable {
        let messages = state.withLock { state in
            var channel = state[kind, name] ?? Channel(glob: Glob(name))
            channel.subscribers += 1
            state[kind, name] = channel
            return channel.messages
        }
        let subscription = messages.signal.subscribe(onValue: receive)
        subscription.onDispose { [weak self] in self?.leave(kind, name) }
        return subscription
    }

    private func leave(_ kind: Client.Kind, _ name: Bytes) {
        // The removed channel is returned, so that it is released outside the lock.
        _ = state.withLock { state -> Channel? in
            guard var channel = state[kind, name] else { return nil }
            channel.subscribers -= 1
            state[kind, name] = channel.subscribers > 0 ? channel : nil
            return channel
        }
    }

    /// Sends a message to all subscribers, and returns their number. The message is encoded once for all subscribers of
    /// a channel.
    func publish(_ message: Bytes, to name: Bytes) -> Int {
        let (channel, patterns) = state.withLock { ($0.channels[name], $0.patterns) }
        var receivers = 0
        if let channel {
            channel.messages.send(encoded([.bulk("message"), .bulk(name), .bulk(message)]))
            receivers += channel.subscribers
        }
        for (pattern, channel) in patterns where channel.glob.matches(name) {
            channel.messages.send(encoded([.bulk("pmessage"), .bulk(pattern), .bulk(name), .bulk(message)]))
            receivers += channel.subscribers
        }
        return receivers
    }

    private func encoded(_ parts: [Reply]) -> Bytes {
        var buffer = ReplyBuffer()
        buffer.append(.array(parts))
        return buffer.take().map(\.joined) ?? Bytes()
    }
}
